// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;
import io.spillway.lab.job.LabPrograms;
import java.util.Map;

/** Sequence files of random records with random sizes, sorted within partitions. */
public final class SortWorkload implements Workload {
    private static final String BYTES = "org.apache.hadoop.io.BytesWritable";
    private static final String FORMATS = "org.apache.hadoop.mapreduce.lib.";

    @Override
    public String label() {
        return "sort";
    }

    @Override
    public String suite() {
        return "HiBench (Hadoop's example)";
    }

    @Override
    public String summary() {
        return "records of random sizes in sequence files";
    }

    @Override
    public boolean keepsRecords() {
        return true;
    }

    @Override
    public JobSpec generator(final Input input) {
        return LabPrograms.tool(
                "random-records",
                input.folder(),
                String.valueOf(input.bytes()),
                String.valueOf(input.files()));
    }

    @Override
    public JobSpec job(final String input, final String output, final int reduces) {
        return JobSpec.example("sort", "-r", String.valueOf(reduces), input, output);
    }

    @Override
    public Map<String, String> copyProperties() {
        return Map.of(
                "mapreduce.job.inputformat.class",
                FORMATS + "input.SequenceFileInputFormat",
                "mapreduce.job.outputformat.class",
                FORMATS + "output.SequenceFileOutputFormat",
                "mapreduce.job.output.key.class",
                BYTES,
                "mapreduce.job.output.value.class",
                BYTES);
    }

    @Override
    public JobSpec check(final String input, final String output) {
        return LabPrograms.tool("digest", "sequence", output);
    }
}
