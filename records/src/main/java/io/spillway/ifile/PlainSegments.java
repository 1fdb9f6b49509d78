// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Stores segments as they are. Immutable. */
final class PlainSegments implements SegmentCipher {
    @Override
    public int headerLength() {
        return 0;
    }

    @Override
    public SegmentOutput output(final OutputStream stored) {
        return new SegmentOutput() {
            @Override
            void begin(final long position) {}

            @Override
            public void write(final byte[] bytes, final int offset, final int length)
                    throws IOException {
                stored.write(bytes, offset, length);
            }

            @Override
            void end() {}
        };
    }

    @Override
    public Content content() {
        return (bytes, offset, length) -> length;
    }

    @Override
    public InputStream input(final InputStream stored) {
        return stored;
    }

    @Override
    public String hintOfDamage() {
        return "";
    }
}
