// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.measured;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.failure.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * What a model takes from the JSON of a comparison, of any schema so far. Immutable.
 *
 * @param name of the file
 * @param workload by its name
 * @param bytes of the input
 * @param maps that were asked for
 * @param cores of the machine
 * @param memoryBytes of the machine
 * @param slots tasks at a time, of all hosts together
 * @param heapBytes of a task
 * @param hosts that were emulated; 1 where all were plain processes
 * @param linkRate bytes a second of an emulated host's link; infinite is no bound
 * @param memoryNodes of the cluster
 * @param copies the job without a shuffle, one of each round or one in all
 * @param runs of the engines
 */
record CompareFile(
        String name,
        String workload,
        long bytes,
        int maps,
        int cores,
        long memoryBytes,
        int slots,
        long heapBytes,
        int hosts,
        double linkRate,
        int memoryNodes,
        List<JobTimes> copies,
        List<JobTimes> runs) {
    /** What a local cluster has by default, where an older file does not say it. */
    private static final int OLD_SLOTS = 4;

    private static final int OLD_HEAP_MB = 1024;
    private static final int MIB_BITS = 20;
    private static final int BYTE_BITS = 8;

    /** Copies what is mutable. */
    CompareFile {
        copies = List.copyOf(copies);
        runs = List.copyOf(runs);
    }

    /**
     * Reads a comparison.
     *
     * @param option which names the file, for errors
     * @throws BadInputException where it is none, or has no copy or no run to go by
     */
    static CompareFile read(final String option, final Path file) {
        final JsonNode tree;
        try {
            tree = new ObjectMapper().readTree(Files.readString(file));
        } catch (final JsonProcessingException e) {
            throw new BadInputException(
                    option + " " + file + ": expected JSON: " + e.getOriginalMessage());
        } catch (final IOException e) {
            throw new BadInputException(option + " " + file + ": cannot be read: " + e);
        }
        if (!tree.path("runs").isArray() || !tree.path("plan").has("workload")) {
            throw new BadInputException(option + " " + file + ": expected the JSON of compare");
        }
        return read(file.toString(), tree);
    }

    private static CompareFile read(final String name, final JsonNode tree) {
        final JsonNode plan = tree.path("plan");
        final JsonNode machine = tree.path("machine");
        final JsonNode site = tree.path("site");
        final long bits = site.path("emulatedLink").path("bitsPerSecond").asLong(0);
        final CompareFile file =
                new CompareFile(
                        name,
                        plan.path("workload").asText(),
                        plan.path("bytes").asLong(),
                        plan.path("maps").asInt(),
                        machine.path("cores").asInt(),
                        machine.path("memoryMb").asLong() << MIB_BITS,
                        site.path("slots").asInt(OLD_SLOTS),
                        site.path("heapMb").asLong(OLD_HEAP_MB) << MIB_BITS,
                        site.path("emulatedHosts").asInt(1),
                        bits == 0 ? Double.POSITIVE_INFINITY : (double) bits / BYTE_BITS,
                        site.path("memoryNodes").asInt(1),
                        copies(tree),
                        jobs(tree.path("runs")));
        file.require();
        return file;
    }

    private void require() {
        if (copies.isEmpty() || runs.isEmpty() || bytes <= 0 || maps <= 0 || cores <= 0) {
            throw new BadInputException(
                    name
                            + ": expected a comparison with bytes, maps, cores, a copy and a run;"
                            + " it has "
                            + copies.size()
                            + " copies and "
                            + runs.size()
                            + " runs");
        }
    }

    /** Older files have one copy in all. */
    private static List<JobTimes> copies(final JsonNode tree) {
        return tree.path("copies").isArray()
                ? jobs(tree.path("copies"))
                : tree.path("copy").isObject()
                        ? List.of(JobTimes.read(tree.path("copy")))
                        : List.of();
    }

    private static List<JobTimes> jobs(final JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).map(JobTimes::read).toList();
    }

    /** The copy of a run's round, or the last one. */
    JobTimes copyOf(final JobTimes run) {
        return copies.get(Math.max(0, Math.min(run.repeat(), copies.size()) - 1));
    }
}
