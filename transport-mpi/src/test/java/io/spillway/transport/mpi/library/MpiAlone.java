// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What a rank does with itself. */
final class MpiAlone {
    private static final int TAG = 7;

    private final MpiWorld world;
    private final Completions done = new Completions(4);

    MpiAlone(final MpiWorld world) {
        this.world = world;
    }

    static void refuses(final Class<? extends Throwable> type, final ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(type);
    }

    void run() throws Exception {
        assertThat(world.rank()).isZero();
        assertThat(world.size()).isOne();
        assertThat(world.maxTag()).isGreaterThanOrEqualTo(32_767);
        assertThat(world.threadLevel()).isNotEqualTo(MpiWorld.ThreadLevel.SINGLE);
        assertThat(world.libraryVersion()).isNotBlank().doesNotContain("\n");
        assertThat(world.processorName()).isNotBlank();
        assertThat(world.poll(done)).isZero();
        echo(ByteBuffer.allocateDirect(100), 3);
        sendsAPartOfABuffer();
        sendsNothing();
        manyAtOnce();
        cancels();
        failsWhatIsTooLong();
        refusesWhatIsWrong();
        sharesMemory();
        world.barrier();
        world.broadcast(ByteBuffer.allocateDirect(8), 8, 0);
    }

    /** Messages of the whole buffer, one after the other. */
    void echo(final ByteBuffer sent, final int rounds) throws MpiException {
        final ByteBuffer received = ByteBuffer.allocateDirect(sent.capacity());
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < sent.capacity(); i++) {
                sent.put(i, (byte) (i * 31 + round));
            }
            final int receive =
                    world.receive(
                            received, 0, sent.capacity(), MpiWorld.ANY_RANK, MpiWorld.ANY_TAG);
            final int send = world.send(sent, 0, sent.capacity(), 0, TAG);
            final Set<Integer> handles = new HashSet<>(Set.of(receive, send));
            while (!handles.isEmpty()) {
                final int found = world.poll(done);
                assertThat(found).isEqualTo(done.size());
                for (int i = 0; i < found; i++) {
                    assertThat(handles.remove(done.handle(i))).isTrue();
                    assertCompletion(i, sent.capacity());
                }
            }
            assertThat(received).isEqualTo(sent);
        }
    }

    private void assertCompletion(final int index, final int count) {
        assertThat(done.error(index)).isZero();
        assertThat(done.rank(index)).isZero();
        assertThat(done.tag(index)).isEqualTo(TAG);
        assertThat(done.count(index)).isEqualTo(count);
        assertThat(done.isCancelled(index)).isFalse();
    }

    /** The index in {@link #done} of a request that the next polls find; others are let go. */
    private int await(final int handle) throws MpiException {
        while (true) {
            world.poll(done);
            for (int i = 0; i < done.size(); i++) {
                if (done.handle(i) == handle) {
                    return i;
                }
            }
        }
    }

    private void drain(final int requests) throws MpiException {
        for (int left = requests; left > 0; ) {
            left -= world.poll(done);
        }
    }

    private void sendsAPartOfABuffer() throws MpiException {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(16);
        bytes.putLong(4, 0x0102030405060708L);
        final ByteBuffer received = ByteBuffer.allocateDirect(32);
        final int receive = world.receive(received, 10, 22, 0, TAG);
        world.send(bytes.asReadOnlyBuffer(), 4, 8, 0, TAG);
        assertThat(done.count(await(receive))).isEqualTo(8);
        assertThat(received.getLong(10)).isEqualTo(0x0102030405060708L);
        assertThat(received.getLong(2)).isZero();
        drain(done.size() == 2 ? 0 : 1);
    }

    private void sendsNothing() throws MpiException {
        final ByteBuffer nothing = ByteBuffer.allocateDirect(0);
        world.receive(nothing, 0, 0, 0, world.maxTag());
        world.send(nothing, 0, 0, 0, world.maxTag());
        drain(2);
    }

    /** More requests than the first table has, and more ends than a poll takes. */
    private void manyAtOnce() throws MpiException {
        final int messages = 500;
        final ByteBuffer sent = ByteBuffer.allocateDirect(messages * Integer.BYTES);
        final ByteBuffer received = ByteBuffer.allocateDirect(messages * Integer.BYTES);
        final Set<Integer> handles = new HashSet<>();
        for (int i = 0; i < messages; i++) {
            sent.putInt(i * Integer.BYTES, i * i);
            handles.add(world.receive(received, i * Integer.BYTES, Integer.BYTES, 0, TAG));
        }
        for (int i = 0; i < messages; i++) {
            handles.add(world.send(sent, i * Integer.BYTES, Integer.BYTES, 0, TAG));
        }
        assertThat(handles).hasSize(2 * messages);
        while (!handles.isEmpty()) {
            world.poll(done);
            for (int i = 0; i < done.size(); i++) {
                assertThat(handles.remove(done.handle(i))).isTrue();
                assertCompletion(i, Integer.BYTES);
            }
        }
        assertThat(received).isEqualTo(sent);
        final int again = world.receive(received, 0, 4, 0, TAG);
        assertThat(again).as("handles are used again").isLessThan(2 * messages);
        world.cancel(again);
        await(again);
    }

    private void cancels() throws MpiException {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(8);
        final int kept = world.receive(bytes, 0, 8, 0, TAG);
        final int given = world.receive(bytes, 0, 8, MpiWorld.ANY_RANK, TAG + 1);
        world.cancel(given);
        final int index = await(given);
        assertThat(done.isCancelled(index)).isTrue();
        assertThat(done.error(index)).isZero();
        assertThat(done.count(index)).isZero();
        assertThat(done.tag(index)).isEqualTo(TAG + 1);
        refuses(IllegalArgumentException.class, () -> world.cancel(given));
        world.send(ByteBuffer.allocateDirect(8), 0, 8, 0, TAG);
        assertThat(done.isCancelled(await(kept))).isFalse();
        drain(done.size() == 2 ? 0 : 1);
    }

    /**
     * The send comes first: Open MPI 4.1 shortens messages of a rank to itself without an error
     * where the receive is there already.
     */
    private void failsWhatIsTooLong() throws MpiException {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(64);
        world.send(bytes, 32, 32, 0, TAG);
        final int receive = world.receive(bytes, 0, 4, 0, TAG);
        final int index = await(receive);
        final int error = done.error(index);
        assertThat(error).isNotZero();
        assertThat(done.count(index)).isZero();
        drain(done.size() == 2 ? 0 : 1);
        assertIsTooLong(world.failure(error));
        assertThat(world.failure(error).errorClass()).isPositive();
        assertThat(bytes.getLong(8)).as("beyond the range").isZero();
        echo(ByteBuffer.allocateDirect(100), 3);
    }

    /** The standard ABI of MPICH 5.0.2 has the right class, and the text of another one. */
    static void assertIsTooLong(final MpiException failure) {
        assertThat(failure.getMessage()).containsAnyOf("runcate", "Other MPI error");
    }

    private void refusesWhatIsWrong() throws Exception {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(8);
        refuses(MpiException.class, () -> world.send(bytes, 0, 8, 5, TAG));
        refuses(MpiException.class, () -> world.receive(bytes, 0, 8, -17, TAG));
        refuses(MpiException.class, () -> world.send(bytes, 0, 8, 0, -9));
        refuses(MpiException.class, () -> world.broadcast(bytes, 8, 3));
        refuses(IndexOutOfBoundsException.class, () -> world.send(bytes, 4, 5, 0, TAG));
        refuses(IndexOutOfBoundsException.class, () -> world.receive(bytes, -1, 5, 0, TAG));
        refuses(
                IllegalArgumentException.class,
                () -> world.send(ByteBuffer.allocate(8), 0, 8, 0, TAG));
        refuses(
                IllegalArgumentException.class,
                () -> world.receive(bytes.asReadOnlyBuffer(), 0, 8, 0, TAG));
        refuses(IllegalArgumentException.class, () -> world.cancel(0));
        refuses(IllegalArgumentException.class, () -> world.failure(0));
        refuses(IndexOutOfBoundsException.class, () -> done.handle(done.size()));
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Thread other =
                new Thread(
                        () -> {
                            try {
                                world.poll(done);
                            } catch (final MpiException | IllegalStateException e) {
                                thrown.set(e);
                            }
                        });
        other.start();
        other.join();
        assertThat(thrown.get()).isInstanceOf(IllegalStateException.class);
    }

    /** The bytes go from shared memory to a mapping of it, as those of a task. */
    private void sharesMemory() throws Exception {
        final SharedMemory memory = SharedMemory.create("mpi-alone", 1 << 16);
        try (FileChannel file =
                FileChannel.open(
                        Path.of(memory.path()),
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            final ByteBuffer mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 1 << 16);
            mapped.putLong(0, 42);
            final int receive = world.receive(memory.bytes(), 100, 8, 0, TAG);
            world.send(memory.bytes(), 0, 8, 0, TAG);
            await(receive);
            drain(done.size() == 2 ? 0 : 1);
            assertThat(mapped.getLong(100)).isEqualTo(42);
        }
        memory.close();
    }
}
