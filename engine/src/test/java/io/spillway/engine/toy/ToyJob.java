// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.toy;

import io.spillway.engine.reduce.thread.SystemThreads;
import io.spillway.engine.spi.OutputEvent;
import io.spillway.engine.spi.OutputId;
import io.spillway.transport.NodeAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/**
 * Runs a job's maps on workers, and a map again whose output is lost; the job goes on without a map
 * that fails. Thread-safe.
 *
 * @param events what has become of outputs, in this order: reducers read along
 * @param lost outputs that reducers could not fetch
 */
record ToyJob(
        List<Path> inputs, List<Worker> workers, List<OutputEvent> events, Set<OutputId> lost) {
    static final String ID = "toy-1";

    /** Of a map and its attempt. */
    static OutputId output(final int map, final int attempt) {
        return new OutputId(map, String.format("%s.%06d.%d", ID, map, attempt));
    }

    /** Runs a map on an input, and says where its output can be fetched. */
    interface Worker {
        NodeAddress run(OutputId output, Path input) throws IOException;
    }

    ToyJob(final List<Path> inputs, final List<Worker> workers) {
        this(inputs, workers, new CopyOnWriteArrayList<>(), ConcurrentHashMap.newKeySet());
    }

    void start() {
        IntStream.range(0, inputs.size()).forEach(map -> start(map, 0));
    }

    private void start(final int map, final int attempt) {
        final OutputId output = output(map, attempt);
        final Worker worker = workers.get((map + attempt) % workers.size());
        new SystemThreads().thread(output.name(), () -> run(worker, output)).start();
    }

    private void run(final Worker worker, final OutputId output) {
        try {
            final NodeAddress node = worker.run(output, inputs.get(output.map()));
            events.add(new OutputEvent.Ready(output, node, "", 0));
        } catch (final IOException | RuntimeException e) {
            events.add(new OutputEvent.Abandoned(output));
        }
    }

    /** The first report of an output makes its map run again; later ones change nothing. */
    void outputLost(final OutputId output) {
        if (lost.add(output)) {
            events.add(new OutputEvent.Withdrawn(output));
            start(output.map(), (int) lost.stream().filter(o -> o.map() == output.map()).count());
        }
    }
}
