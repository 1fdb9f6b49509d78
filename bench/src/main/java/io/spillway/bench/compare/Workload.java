package io.spillway.bench.compare;

import io.spillway.bench.BadInputException;
import io.spillway.bench.run.JobSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The jobs that engines are compared by. */
public enum Workload {
    /** TeraGen's 100-byte records, sorted in total order. */
    TERASORT("terasort", "tera"),
    /** Records as TeraGen's whose keys let a reducer drain one map output after the other. */
    DRAIN("drain", "tera"),
    /** Sequence files of random records with random sizes, sorted within partitions. */
    SORT("sort", "sequence"),
    /** Words of real text counted, with a combiner. */
    WORDCOUNT("wordcount", "lines"),
    /** For each word of real text the files it stands in, with a combiner. */
    INVERTED_INDEX("invertedindex", "lines");

    private static final int TERA_RECORD = 100;
    private static final String MIN_SPLIT = "mapreduce.input.fileinputformat.split.minsize";
    private static final String SIMPLE_PARTITIONER = "mapreduce.terasort.simplepartitioner";
    private static final String TERA = "org.apache.hadoop.examples.terasort.";
    private static final String MAPRED = "org.apache.hadoop.mapreduce.lib.";

    private final String label;
    private final String format;

    Workload(final String label, final String format) {
        this.label = label;
        this.format = format;
    }

    /** Its name on the command line. */
    public String label() {
        return label;
    }

    /** The workload of a name. */
    public static Workload parse(final String name) {
        return Arrays.stream(values())
                .filter(workload -> workload.label.equals(name.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "workload '" + name + "': expected one of " + labels()));
    }

    /** The names of all workloads. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(Workload::label).toList();
    }

    /** Whether its output has as many records as its input. */
    boolean keepsRecords() {
        return this == TERASORT || this == DRAIN || this == SORT;
    }

    /** Whether its input is text made of Hadoop's sources. */
    boolean readsText() {
        return this == WORDCOUNT || this == INVERTED_INDEX;
    }

    /**
     * Makes the input: as many files as maps, so that each file is one split.
     *
     * @param reduces of the job that will read it
     * @param sources jars with text
     */
    JobSpec generator(
            final String folder,
            final long bytes,
            final int maps,
            final int reduces,
            final List<String> sources) {
        final String count = String.valueOf(maps);
        return switch (this) {
            case TERASORT ->
                    JobSpec.example("teragen", String.valueOf(rows(bytes)), folder)
                            .with(Map.of("mapreduce.job.maps", count));
            case DRAIN ->
                    JobSpec.workload(
                            "drain-records",
                            folder,
                            String.valueOf(bytes),
                            count,
                            String.valueOf(reduces));
            case SORT -> JobSpec.workload("random-records", folder, String.valueOf(bytes), count);
            case WORDCOUNT, INVERTED_INDEX -> {
                final List<String> arguments =
                        new ArrayList<>(List.of(folder, String.valueOf(bytes), count));
                arguments.addAll(sources);
                yield JobSpec.workload("corpus", arguments.toArray(String[]::new));
            }
        };
    }

    /** Rows of TeraGen for so many bytes. */
    static long rows(final long bytes) {
        return Math.max(1, bytes / TERA_RECORD);
    }

    /** The job itself, with the stock engine. */
    JobSpec job(final String input, final String output, final int reduces) {
        final JobSpec job =
                switch (this) {
                    case TERASORT -> JobSpec.example("terasort", input, output);
                    case DRAIN ->
                            JobSpec.example("terasort", input, output)
                                    .with(Map.of(SIMPLE_PARTITIONER, "true"));
                    case SORT ->
                            JobSpec.example("sort", "-r", String.valueOf(reduces), input, output);
                    case WORDCOUNT -> JobSpec.example("wordcount", input, output);
                    case INVERTED_INDEX -> JobSpec.workload("inverted-index", input, output);
                };
        final Map<String, String> properties = new TreeMap<>(oneSplitAFile());
        properties.put("mapreduce.job.reduces", String.valueOf(reduces));
        return job.with(properties);
    }

    /** The same data read and written by maps alone. */
    JobSpec copy(final String input, final String output) {
        final Map<String, String> properties = new TreeMap<>(oneSplitAFile());
        switch (this) {
            case TERASORT, DRAIN -> {
                properties.put("mapreduce.job.inputformat.class", TERA + "TeraInputFormat");
                properties.put("mapreduce.job.outputformat.class", TERA + "TeraOutputFormat");
            }
            case SORT -> {
                final String bytes = "org.apache.hadoop.io.BytesWritable";
                properties.put(
                        "mapreduce.job.inputformat.class",
                        MAPRED + "input.SequenceFileInputFormat");
                properties.put(
                        "mapreduce.job.outputformat.class",
                        MAPRED + "output.SequenceFileOutputFormat");
                properties.put("mapreduce.job.output.key.class", bytes);
                properties.put("mapreduce.job.output.value.class", bytes);
            }
            case WORDCOUNT, INVERTED_INDEX -> {
                properties.put("mapreduce.job.inputformat.class", MAPRED + "input.TextInputFormat");
                properties.put(
                        "mapreduce.job.outputformat.class", MAPRED + "output.TextOutputFormat");
                properties.put(
                        "mapreduce.job.map.class", "io.spillway.bench.workload.CopyJob$LineMapper");
            }
        }
        return JobSpec.workload("copy", input, output).with(properties);
    }

    private static Map<String, String> oneSplitAFile() {
        return Map.of(MIN_SPLIT, String.valueOf(Long.MAX_VALUE));
    }

    /** Computes the checksums of an output. */
    JobSpec digest(final String output) {
        return JobSpec.workload("digest", format, output);
    }
}
