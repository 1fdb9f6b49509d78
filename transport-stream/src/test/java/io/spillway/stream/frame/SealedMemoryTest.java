// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.spillway.frame.MalformedFrameException;
import io.spillway.seal.Protection;
import io.spillway.seal.RecordSeal;
import io.spillway.seal.SealKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a sealed connection holds of memory. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class SealedMemoryTest {
    private static final SealKeys KEYS =
            SealKeys.of(Protection.PRIVACY, new byte[SealKeys.SECRET_LENGTH]);
    private static final int RECORDS = 40;
    private static final int READ_LENGTH = 64 << 10;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

    private long held() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }

    private static byte[] randomBytes(final int length) {
        final byte[] bytes = new byte[length];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    private static ByteBuf sealed(final byte[] bytes, final int recordLength) {
        final RecordSeal seal = KEYS.records();
        final ByteBuf plain = Unpooled.wrappedBuffer(bytes);
        final int records = (bytes.length + recordLength - 1) / recordLength;
        final ByteBuf out = Unpooled.directBuffer(bytes.length + records * RecordSeal.OVERHEAD);
        while (plain.isReadable()) {
            final int count = Math.min(recordLength, plain.readableBytes());
            final int length = count + RecordSeal.OVERHEAD;
            seal.seal(
                    seal.reserve(count),
                    plain.nioBuffer(plain.readerIndex(), count),
                    out.nioBuffer(out.writerIndex(), length));
            plain.skipBytes(count);
            out.writerIndex(out.writerIndex() + length);
        }
        return out;
    }

    private EmbeddedChannel opening() {
        final EmbeddedChannel channel = new EmbeddedChannel();
        channel.config().setAllocator(allocator);
        channel.pipeline().addLast(new RecordOpener(KEYS));
        return channel;
    }

    private static byte[] takeOpened(final EmbeddedChannel channel, final int length) {
        final ByteBuf all = Unpooled.buffer(length);
        for (ByteBuf opened = channel.readInbound();
                opened != null;
                opened = channel.readInbound()) {
            all.writeBytes(opened);
            opened.release();
        }
        final byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        return bytes;
    }

    /** All that one loop of reads brings comes in a row, and ends within a record. */
    @Test
    void ofWhatComesAtMostOneRecordIsKept() {
        final byte[] bytes = randomBytes(RECORDS * RecordSeal.MAX_LENGTH);
        final ByteBuf sealed = sealed(bytes, RecordSeal.MAX_LENGTH);
        final EmbeddedChannel channel = opening();
        final ByteBuf opened = Unpooled.buffer(bytes.length);
        while (sealed.isReadable()) {
            final int count = Math.min(READ_LENGTH, sealed.readableBytes());
            final ChannelFuture unused = channel.writeOneInbound(sealed.readRetainedSlice(count));
            opened.writeBytes(takeOpened(channel, bytes.length));
            assertThat(held()).isLessThanOrEqualTo(RecordSeal.MAX_LENGTH + RecordSeal.OVERHEAD);
        }
        assertThat(opened.array()).isEqualTo(bytes);
        assertThat(held()).isZero();
        channel.finish();
        sealed.release();
        assertThat(sealed.refCnt()).isZero();
    }

    @Test
    void recordsOpenHoweverTheyAreCut() {
        final byte[] bytes = randomBytes(1000);
        for (final int recordLength : new int[] {1, 3, 100, 1000}) {
            for (final int cut : new int[] {1, 2, 5, 19, 21, 64, 5000}) {
                final ByteBuf sealed = sealed(bytes, recordLength);
                final EmbeddedChannel channel = opening();
                while (sealed.isReadable()) {
                    channel.writeInbound(
                            sealed.readRetainedSlice(Math.min(cut, sealed.readableBytes())));
                }
                assertThat(takeOpened(channel, bytes.length))
                        .as("records of %s in pieces of %s", recordLength, cut)
                        .isEqualTo(bytes);
                channel.finish();
                sealed.release();
            }
        }
        assertThat(held()).isZero();
    }

    @Test
    void nothingIsReadAfterARecordThatDoesNotOpen() {
        final ByteBuf sealed = sealed(randomBytes(300), 100);
        sealed.setByte(RecordSeal.OVERHEAD + 100 + 50, sealed.getByte(170) ^ 1);
        final EmbeddedChannel channel = opening();
        assertThatThrownBy(() -> channel.writeInbound(sealed.retainedDuplicate()))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("sealed record 1");
        channel.writeInbound(sealed.retainedDuplicate());
        assertThat(takeOpened(channel, 300)).hasSize(100);
        channel.finish();
        assertThat(sealed.release()).isTrue();
        assertThat(held()).isZero();
    }

    @Test
    void aRecordThatIsTooLongIsRefusedBeforeItIsKept() {
        final EmbeddedChannel channel = opening();
        final ByteBuf length = Unpooled.buffer().writeInt(RecordSeal.MAX_LENGTH + 1).writeInt(0);
        assertThatThrownBy(() -> channel.writeInbound(length))
                .isInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("length=16385");
        assertThat(length.refCnt()).isZero();
        assertThat(held()).isZero();
    }

    @Test
    void aConnectionThatEndsWithinARecordLeavesNothing() {
        final ByteBuf sealed = sealed(randomBytes(5000), 5000);
        final EmbeddedChannel channel = opening();
        channel.writeInbound(sealed.readRetainedSlice(3000));
        assertThat(held()).isPositive();
        channel.finish();
        assertThat(held()).isZero();
        assertThat(sealed.release()).isTrue();
    }

    /** Answers of a memory node are its own memory, in pieces of 64 KiB: no copy waits beside. */
    @Test
    void whatWaitsForASlowReaderIsNotSealedYet() throws Exception {
        final NioEventLoopGroup loops = new NioEventLoopGroup(1);
        try {
            final NioSocketChannel channel = new NioSocketChannel();
            channel.config().setAllocator(allocator);
            channel.pipeline().addLast(new RecordSealer(KEYS));
            loops.register(channel).sync();
            final List<ByteBuf> messages = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                messages.add(Unpooled.directBuffer().writeZero(64 << 10));
            }
            channel.eventLoop()
                    .submit(() -> messages.forEach(message -> Outbound.write(channel, message)))
                    .sync();
            assertThat(held()).isLessThan(128 << 10);
            channel.close().sync();
            channel.closeFuture().sync();
            channel.eventLoop().submit(() -> {}).sync();
            assertThat(messages).allMatch(message -> message.refCnt() == 0);
            assertThat(held()).isZero();
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }
}
