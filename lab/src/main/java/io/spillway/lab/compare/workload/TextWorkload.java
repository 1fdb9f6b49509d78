// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;
import io.spillway.lab.job.LabPrograms;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Jobs with a combiner over the lines of real text: Hadoop's own Java sources, repeated. */
abstract class TextWorkload implements Workload {
    private static final String FORMATS = "org.apache.hadoop.mapreduce.lib.";

    @Override
    public final boolean keepsRecords() {
        return false;
    }

    @Override
    public final JobSpec generator(final Input input) {
        final List<String> arguments = new ArrayList<>();
        arguments.add(input.folder());
        arguments.add(String.valueOf(input.bytes()));
        arguments.add(String.valueOf(input.files()));
        arguments.addAll(input.texts().get());
        return LabPrograms.tool("corpus", arguments.toArray(String[]::new));
    }

    @Override
    public final Map<String, String> copyProperties() {
        return Map.of(
                "mapreduce.job.inputformat.class", FORMATS + "input.TextInputFormat",
                "mapreduce.job.outputformat.class", FORMATS + "output.TextOutputFormat",
                "mapreduce.job.map.class", "io.spillway.lab.workload.CopyJob$LineMapper");
    }

    @Override
    public final JobSpec check(final String input, final String output) {
        return LabPrograms.tool("digest", "lines", output);
    }
}
