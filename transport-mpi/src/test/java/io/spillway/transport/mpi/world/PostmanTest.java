// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.spillway.transport.mpi.library.FakeMessages;
import io.spillway.transport.mpi.library.MpiException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Over a library that keeps, fails and never ends what real ones do only now and then. */
final class PostmanTest {
    private static final int SLOTS = 64;
    private static final int PEER = 1;
    private static final int OTHER = 2;
    private static final int FIRST = BulkTags.FIRST;
    private static final int THREE_TAGS = FIRST + 2;
    private static final int LENGTH = 100;

    private final List<Integer> arrived = new ArrayList<>();
    private final List<MpiException> broken = new ArrayList<>();
    private final FakeMessages mpi = new FakeMessages(THREE_TAGS);
    private final Streams streams = new Streams(UnpooledByteBufAllocator.DEFAULT);
    private final Postman.Receiver receiver =
            new Postman.Receiver() {
                @Override
                public void arrived(final int rank, final ByteBuffer parcel) {
                    arrived.add(parcel.getInt(0));
                }

                @Override
                public void broken(final MpiException cause) {
                    broken.add(cause);
                }
            };
    private long now;
    private final Postman postman = new Postman(mpi, receiver, () -> now);

    @BeforeEach
    void start() throws MpiException {
        postman.start();
        streams.use(postman);
    }

    private void aMinutePasses() throws MpiException {
        now += TimeUnit.MINUTES.toNanos(1);
        progress();
    }

    private void progress() throws MpiException {
        while (postman.progress() > 0) {
            // What has ended may let more begin.
        }
    }

    // ---- tags ----------------------------------------------------------------------------------

    private StreamEnd streamTo(final int rank) throws MpiException {
        final StreamEnd end = new IdleEnd(streams, rank);
        end.accept(1);
        return end;
    }

    private static void sendBulk(final StreamEnd end) throws MpiException {
        end.send(end.newParcel(), ByteBuffer.allocateDirect(LENGTH), 0, LENGTH, failure -> {});
    }

    private List<Integer> tagsUnderWay() {
        return mpi.bulkSends().stream().map(FakeMessages.Request::tag).toList();
    }

    @Test
    void noTwoMessagesUnderWayToARankHaveOneTag() throws Exception {
        final StreamEnd end = streamTo(PEER);
        for (int i = 0; i < 3; i++) {
            sendBulk(end);
        }
        assertThat(tagsUnderWay()).containsExactly(FIRST, FIRST + 1, FIRST + 2);
        assertThatThrownBy(() -> sendBulk(end))
                .isInstanceOf(MpiException.class)
                .hasMessageContaining("3");
        mpi.end(mpi.bulkSends().get(1));
        progress();
        sendBulk(end);
        assertThat(tagsUnderWay()).containsExactly(FIRST, FIRST + 2, FIRST + 1);
    }

    @Test
    void tagsToOneRankDoNotCountForAnother() throws Exception {
        final StreamEnd end = streamTo(PEER);
        for (int i = 0; i < 3; i++) {
            sendBulk(end);
        }
        sendBulk(streamTo(OTHER));
        assertThat(tagsUnderWay()).hasSize(4);
    }

    /** Its receive waits for ever: a message with its tag would come in its place. */
    @Test
    void theTagOfAMessageThatFailedIsNotUsedAgain() throws Exception {
        final StreamEnd end = streamTo(PEER);
        sendBulk(end);
        mpi.fail(mpi.bulkSends().get(0));
        progress();
        for (int i = 0; i < 2; i++) {
            sendBulk(end);
        }
        assertThat(tagsUnderWay()).containsExactly(FIRST + 1, FIRST + 2);
        assertThatThrownBy(() -> sendBulk(end)).isInstanceOf(MpiException.class);
    }

    // ---- drains --------------------------------------------------------------------------------

    @Test
    void bytesThatNeverComeKeepNoOtherOnesBack() throws Exception {
        for (int i = 0; i < 100; i++) {
            postman.drain(PEER, LENGTH, FIRST + i);
        }
        postman.drain(OTHER, LENGTH, 1000);
        assertThat(mpi.receives(1000)).hasSize(1);
    }

    @Test
    void bytesThatAreDrainedAtATimeHaveMemoryOfTheirOwn() throws Exception {
        postman.drain(PEER, LENGTH, FIRST);
        postman.drain(OTHER, LENGTH, FIRST);
        assertThat(mpi.receives(FIRST))
                .extracting(FakeMessages.Request::offset)
                .doesNotHaveDuplicates()
                .hasSize(2);
    }

    @Test
    void drainsThatNeverEndMakeRoomForTheNext() throws Exception {
        final int last = FIRST + 100;
        for (int rank = 1; rank <= 100; rank++) {
            postman.drain(rank, LENGTH, FIRST);
            postman.drain(rank, LENGTH, last);
        }
        for (int rank = 1; rank <= 100; rank++) {
            mpi.arrive(rank, last, new byte[LENGTH]);
        }
        for (int i = 0; i < 100; i++) {
            aMinutePasses();
        }
        assertThat(mpi.unreceived()).isZero();
        // What never came is still waited for: it may come late.
        for (int rank = 1; rank <= 100; rank++) {
            mpi.arrive(rank, FIRST, new byte[LENGTH]);
        }
        for (int i = 0; i < 100; i++) {
            aMinutePasses();
        }
        assertThat(postman.underWay()).isZero();
    }

    // ---- parcels -------------------------------------------------------------------------------

    private void parcelsCome(final int from, final int to) throws MpiException {
        for (int i = from; i < to; i++) {
            mpi.arrive(PEER, Postman.PARCEL_TAG, ByteBuffer.allocate(8).putInt(i).array());
            progress();
        }
    }

    @Test
    void aReceiveThatCannotBePostedIsPostedLater() throws Exception {
        mpi.failReceives(1);
        parcelsCome(0, 1);
        assertThat(mpi.receives(Postman.PARCEL_TAG)).hasSize(SLOTS - 1);
        aMinutePasses();
        assertThat(mpi.receives(Postman.PARCEL_TAG)).hasSize(SLOTS);
        parcelsCome(1, 3 * SLOTS);
        assertThat(arrived).hasSize(3 * SLOTS).isSorted();
        assertThat(broken).isEmpty();
    }

    @Test
    void aRankThatReceivesNothingEndsItsStreamsAndGoesOnWhenItCan() throws Exception {
        mpi.failReceives(3);
        parcelsCome(0, SLOTS);
        assertThat(arrived).hasSize(SLOTS);
        assertThat(mpi.receives(Postman.PARCEL_TAG)).isEmpty();
        aMinutePasses();
        aMinutePasses();
        assertThat(broken).hasSize(2);
        aMinutePasses();
        assertThat(mpi.receives(Postman.PARCEL_TAG)).hasSize(SLOTS);
        parcelsCome(SLOTS, 3 * SLOTS);
        assertThat(arrived).hasSize(3 * SLOTS).isSorted();
        assertThat(broken).hasSize(2);
    }

    @Test
    void aReceiveThatFailsIsPostedAgainAfterAWhile() throws Exception {
        mpi.fail(mpi.receives(Postman.PARCEL_TAG).get(0));
        progress();
        assertThat(broken).hasSize(1);
        assertThat(mpi.receives(Postman.PARCEL_TAG)).hasSize(SLOTS - 1);
        aMinutePasses();
        assertThat(mpi.receives(Postman.PARCEL_TAG)).hasSize(SLOTS);
        parcelsCome(0, 2 * SLOTS);
        assertThat(arrived).hasSize(2 * SLOTS).isSorted();
    }

    /** An end of a stream that sends only. */
    private static final class IdleEnd extends StreamEnd {
        IdleEnd(final Streams streams, final int rank) {
            super(streams, rank);
        }

        @Override
        protected void onOpened() {}

        @Override
        protected void onRefused() {}

        @Override
        protected Room room(final int length) {
            return null;
        }

        @Override
        protected void onBytes(final ByteBuf inline, final Room room, final int length) {}

        @Override
        protected void onEnd() {}

        @Override
        protected void onBroken(final MpiException cause) {}
    }
}
