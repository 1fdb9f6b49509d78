// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.spillway.frame.FrameConformance;
import java.util.List;

final class ParcelConformanceTest extends FrameConformance {
    private static final String RECORDED_STREAMS = "000000000000000b0000000000000016";

    private static Sample sample(final Parcel parcel, final String recorded) {
        final ByteBuf bytes = Unpooled.buffer();
        Parcel.begin(bytes, parcel.kind(), parcel.to(), parcel.from());
        bytes.writeZero(parcel.inlineLength());
        Parcel.end(bytes, parcel.bulkLength(), parcel.bulkTag());
        return new Sample(parcel, bytes.nioBuffer(), recorded, Parcel::decode);
    }

    private static Sample empty(final Parcel.Kind kind, final String recordedCode) {
        return sample(
                new Parcel(kind, 11, 22, 0, 0, 0),
                recordedCode + "01010000000000" + RECORDED_STREAMS + "0000000000000000");
    }

    @Override
    protected List<Sample> samples() {
        return List.of(
                empty(Parcel.Kind.OPEN, "00"),
                empty(Parcel.Kind.OPENED, "01"),
                empty(Parcel.Kind.REFUSED, "02"),
                sample(
                        new Parcel(Parcel.Kind.DATA, 11, 22, 3, 256, 77),
                        "0301010000000003" + RECORDED_STREAMS + "000001000000004d000000"),
                empty(Parcel.Kind.CLOSE, "04"));
    }
}
