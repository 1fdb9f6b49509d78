// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** The main class of our own workloads and tools, run in a client's JVM with Hadoop's jars. */
public final class JobRunner {
    private static final List<Supplier<SuiteProgram>> SUITES =
            List.of(
                    AdjacencyList::new,
                    Classification::new,
                    Dfsio::new,
                    HistogramMovies::new,
                    HistogramRatings::new,
                    KMeans::new,
                    MovieKMeans::new,
                    PageRank::new,
                    PlainWordCount::new,
                    PumaGrep::new,
                    RankedInvertedIndex::new,
                    SelfJoin::new,
                    ShuffleBench::new,
                    Swim::new,
                    TermVector::new);

    private JobRunner() {}

    static Map<String, Supplier<Tool>> programs() {
        final Map<String, Supplier<Tool>> programs = new TreeMap<>();
        programs.put("copy", CopyJob::new);
        programs.put("corpus", CorpusTool::new);
        programs.put("digest", DigestTool::new);
        programs.put("drain-records", DrainRecords::new);
        programs.put("inverted-index", InvertedIndex::new);
        programs.put("random-records", RandomRecords::new);
        programs.put("sequence-count", SequenceCount::new);
        for (final Supplier<SuiteProgram> program : SUITES) {
            programs.put(program.get().name(), program::get);
        }
        return programs;
    }

    /**
     * A program by its name, or by the name of its class.
     *
     * @throws IllegalArgumentException when there is no such class or it cannot be created
     */
    static Tool program(final String name) {
        final Supplier<Tool> program = programs().get(name);
        if (program != null) {
            return program.get();
        }
        try {
            return Class.forName(name).asSubclass(Tool.class).getConstructor().newInstance();
        } catch (final ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    "program="
                            + name
                            + ": expected a class of Hadoop's Tool, or one of "
                            + programs().keySet(),
                    e);
        }
    }

    /** Runs the program that the first argument names, and ends the JVM with its exit code. */
    public static void main(final String[] arguments) throws Exception {
        if (arguments.length == 0) {
            System.err.println(
                    "expected a class of Hadoop's Tool, or one of " + programs().keySet());
            System.exit(2);
        }
        final Tool tool = program(arguments[0]);
        final String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
        // A plain Configuration has no mapred-site.xml, with the options, before the first job.
        System.exit(ToolRunner.run(new JobConf(), tool, rest));
    }
}
