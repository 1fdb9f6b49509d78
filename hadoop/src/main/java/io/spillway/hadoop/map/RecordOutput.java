// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * What serializers write to. {@code WritableSerializer} uses a {@link DataOutputStream} as it is,
 * and {@code DataOutputStream}'s own {@code write} methods are synchronized: here they go straight
 * to the buffer. The collector is synchronized as a whole.
 */
final class RecordOutput extends DataOutputStream {
    RecordOutput(final OutputStream out) {
        super(out);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the reason for this class
    public void write(final int b) throws IOException {
        out.write(b);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the reason for this class
    public void write(final byte[] bytes, final int offset, final int length) throws IOException {
        out.write(bytes, offset, length);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
