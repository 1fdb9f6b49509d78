package io.spillway.stream.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.spillway.stream.frame.OwningBuffer;
import io.spillway.transport.CachedBytes;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CachedAnswerTest {
    /** Two buffers, one of which can only be read. */
    private static final class Piece implements CachedBytes {
        private int closed;
        private int sent;

        @Override
        public List<ByteBuffer> buffers() {
            final ByteBuffer one = ByteBuffer.allocateDirect(8).putLong(0, 7);
            return List.of(one.slice(4, 4), one.slice(0, 2).asReadOnlyBuffer());
        }

        @Override
        public void sent() {
            assertThat(closed).isZero();
            sent++;
        }

        @Override
        public void close() {
            closed++;
        }
    }

    private final Piece piece = new Piece();
    private final CachedAnswer answer = new CachedAnswer(piece);

    private List<ByteBuf> buffers() {
        return answer.buffers(PooledByteBufAllocator.DEFAULT);
    }

    @Test
    void givesTheBytesWhereTheyLie() {
        final List<ByteBuf> buffers = buffers();
        assertThat(buffers).hasSize(2).allMatch(ByteBuf::isDirect);
        assertThat(buffers).allMatch(buffer -> buffer.nioBufferCount() == 1);
        assertThat(buffers.get(0).readInt()).isEqualTo(7);
        assertThat(buffers.get(1).readableBytes()).isEqualTo(2);
        assertThat(buffers.get(1).isReadOnly() || buffers.get(1).nioBuffer().isReadOnly()).isTrue();
    }

    @Test
    void closesThePieceOnceAfterAllBuffersAndItsOwnEnd() {
        final List<ByteBuf> buffers = buffers();
        buffers.get(0).release();
        buffers.get(1).release();
        assertThat(piece.closed).isZero();
        answer.sent();
        assertThat(piece.sent).isEqualTo(1);
        answer.end();
        assertThat(piece.closed).isEqualTo(1);
    }

    /** As MPI does, which goes on sending when the channel has ended. */
    @Test
    void keepsThePieceForWhatIsStillBeingSent() {
        final List<ByteBuf> buffers = buffers();
        final ByteBuf underWay = buffers.get(0).retain();
        buffers.forEach(ByteBuf::release);
        answer.end();
        assertThat(piece.closed).isZero();
        assertThat(underWay.nioBuffer().getInt()).isEqualTo(7);
        underWay.release();
        assertThat(piece.closed).isEqualTo(1);
    }

    @Test
    void closesAPieceThatCannotBeWrapped() {
        final CachedAnswer broken =
                new CachedAnswer(
                        new CachedBytes() {
                            @Override
                            public List<ByteBuffer> buffers() {
                                throw new OutOfMemoryError("injected");
                            }

                            @Override
                            public void sent() {
                                throw new AssertionError("nothing was sent");
                            }

                            @Override
                            public void close() {
                                piece.close();
                            }
                        });
        assertThatThrownBy(() -> broken.buffers(PooledByteBufAllocator.DEFAULT))
                .isInstanceOf(OutOfMemoryError.class);
        broken.end();
        assertThat(piece.closed).isEqualTo(1);
    }

    @Test
    void givesBackOnceWithTheLastReference() {
        final OwningBuffer buffer =
                new OwningBuffer(
                        PooledByteBufAllocator.DEFAULT, ByteBuffer.allocateDirect(4), piece::close);
        final ByteBuf slice = buffer.retainedSlice(1, 2);
        buffer.release();
        assertThat(piece.closed).isZero();
        slice.release();
        assertThat(piece.closed).isEqualTo(1);
    }
}
