// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.workload;

import io.spillway.cli.run.JobSpec;
import io.spillway.lab.job.LabPrograms;
import java.util.Map;

/** Jobs over records of TeraGen's shape: 100 bytes, of which ten are the key. */
abstract class TeraWorkload implements Workload {
    static final int RECORD = 100;

    private static final String PACKAGE = "org.apache.hadoop.examples.terasort.";

    @Override
    public final boolean keepsRecords() {
        return true;
    }

    @Override
    public final Map<String, String> copyProperties() {
        return Map.of(
                "mapreduce.job.inputformat.class", PACKAGE + "TeraInputFormat",
                "mapreduce.job.outputformat.class", PACKAGE + "TeraOutputFormat");
    }

    @Override
    public final JobSpec check(final String input, final String output) {
        return LabPrograms.tool("digest", "tera", output);
    }
}
