// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;
import io.spillway.lab.job.LabPrograms;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A workload whose data, jobs and check are one program, under the workload's name. Immutable.
 *
 * @param label of the workload and the program
 * @param suite the suite of benchmarks that describes it
 * @param summary what it does
 * @param chain its jobs
 * @param options properties that change it
 */
public record SuiteWorkload(
        String label, String suite, String summary, String chain, List<String> options)
        implements Workload {
    /** The property that names the trace of {@code swim}. */
    public static final String TRACE = "spillway.bench.swim.trace";

    private static final String PUMA = "PUMA";
    private static final String HIBENCH = "HiBench";
    private static final String ONE_JOB = "1 job";
    private static final String SEED = "spillway.bench.seed=1";
    private static final String MOVIES = "spillway.bench.movies.clusters=16";
    private static final String FORMATS = "org.apache.hadoop.mapreduce.lib.";
    private static final String PROGRAMS = "io.spillway.lab.workload.";
    private static final Set<String> KEEPS_RECORDS = Set.of("rankedinvertedindex");
    private static final String NO_FILE_SYSTEM = "shufflebench";

    /** Copies what is mutable. */
    public SuiteWorkload {
        options = List.copyOf(options);
    }

    /** All of them. */
    static List<Workload> all() {
        return List.of(
                new SuiteWorkload(
                        "plainwordcount",
                        HIBENCH,
                        "words of generated text, counted without a combiner",
                        ONE_JOB,
                        List.of(SEED)),
                new SuiteWorkload(
                        "pagerank",
                        HIBENCH,
                        "PageRank of generated pages with some forty links each",
                        "2 jobs an iteration: send each page's rank to its links, add the ranks up",
                        List.of(SEED, "spillway.bench.pagerank.iterations=3")),
                new SuiteWorkload(
                        "kmeans",
                        HIBENCH,
                        "k-means of points with twenty dimensions; maps emit sums",
                        "1 job an iteration",
                        List.of(
                                SEED,
                                "spillway.bench.kmeans.clusters=10",
                                "spillway.bench.kmeans.iterations=5")),
                new SuiteWorkload(
                        "dfsio",
                        HIBENCH,
                        "the file system's throughput",
                        "2 jobs: files written, files read",
                        List.of()),
                new SuiteWorkload(
                        "rankedinvertedindex",
                        PUMA,
                        "for each sequence of three words its files, by count; the input is"
                                + " sequencecount's output",
                        ONE_JOB,
                        List.of(SEED)),
                new SuiteWorkload(
                        "adjacencylist",
                        PUMA,
                        "for each vertex its neighbours, from a list of edges",
                        ONE_JOB,
                        List.of(SEED)),
                new SuiteWorkload(
                        "selfjoin",
                        PUMA,
                        "joins candidates of five items to candidates of six",
                        ONE_JOB,
                        List.of(SEED)),
                new SuiteWorkload(
                        "termvector",
                        PUMA,
                        "for each file its frequent words: few distinct keys",
                        ONE_JOB,
                        List.of(SEED)),
                new SuiteWorkload(
                        "classification",
                        PUMA,
                        "for each cluster the numbers of its movies",
                        ONE_JOB,
                        List.of(SEED, MOVIES)),
                new SuiteWorkload(
                        "moviekmeans",
                        PUMA,
                        "k-means of movies by their ratings: all of the input for few keys",
                        "1 job: one iteration",
                        List.of(SEED, MOVIES)),
                new SuiteWorkload(
                        "histogrammovies",
                        PUMA,
                        "counts movies by their mean rating",
                        ONE_JOB,
                        List.of(SEED)),
                new SuiteWorkload(
                        "histogramratings",
                        PUMA,
                        "counts ratings by their stars",
                        ONE_JOB,
                        List.of(SEED)),
                new SuiteWorkload(
                        "pumagrep",
                        PUMA,
                        "matches of a regular expression, sorted by count",
                        "2 jobs: search and count, sort by count",
                        List.of(SEED, "spillway.bench.grep.pattern=\\b[bk]a[a-z]*")),
                new SuiteWorkload(
                        "swim",
                        "SWIM",
                        "jobs with the sizes and start times of a trace (--trace), several at a"
                                + " time",
                        "1 job a line of the trace",
                        List.of(
                                SEED,
                                TRACE + "=",
                                "spillway.bench.swim.jobs=10",
                                "spillway.bench.swim.gap=0.01",
                                "spillway.bench.swim.floor=1024",
                                "spillway.bench.swim.flight=3")),
                new SuiteWorkload(
                        NO_FILE_SYSTEM,
                        "OSU's micro-benchmarks of MapReduce",
                        "generated records for reducers that drop them: no file system",
                        ONE_JOB,
                        List.of(
                                "spillway.bench.shuffle.distribution=average",
                                "spillway.bench.shuffle.key.bytes=16",
                                "spillway.bench.shuffle.value.bytes=1008",
                                "spillway.bench.shuffle.type=bytes")));
    }

    @Override
    public boolean keepsRecords() {
        return KEEPS_RECORDS.contains(label);
    }

    @Override
    public JobSpec generator(final Input input) {
        return LabPrograms.tool(
                label,
                "make",
                input.folder(),
                String.valueOf(input.bytes()),
                String.valueOf(input.files()));
    }

    @Override
    public JobSpec job(final String input, final String output, final int reduces) {
        return LabPrograms.tool(label, "run", input, output);
    }

    /** Without a file system, the copy generates the records and drops them. */
    @Override
    public Map<String, String> copyProperties() {
        final boolean hasFiles = !label.equals(NO_FILE_SYSTEM);
        return Map.of(
                "mapreduce.job.inputformat.class",
                FORMATS + "input.TextInputFormat",
                "mapreduce.job.outputformat.class",
                FORMATS + (hasFiles ? "output.TextOutputFormat" : "output.NullOutputFormat"),
                "mapreduce.job.map.class",
                PROGRAMS + (hasFiles ? "CopyJob$LineMapper" : "ShuffleBench$SendMapper"));
    }

    @Override
    public JobSpec check(final String input, final String output) {
        return LabPrograms.tool(label, "check", input, output);
    }
}
