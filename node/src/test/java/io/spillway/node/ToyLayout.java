// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import java.util.regex.Pattern;

/** A framework that is not MapReduce: outputs are numbered after their job's name. */
public final class ToyLayout implements MapOutputLayout {
    public static final String DATA = "records";
    public static final String INDEX = "records.index";

    private static final Pattern JOB = Pattern.compile("[A-Za-z0-9_-]+");
    private static final Pattern NUMBERS = Pattern.compile("\\.[0-9]+\\.[0-9]+");

    /** The id of the output of the first attempt of a map. */
    public static String output(final String job, final int map) {
        return String.format("%s.%06d.0", job, map);
    }

    /** Where an output lies, from a local directory on. */
    public static String folder(final String user, final String job, final String output) {
        return new ToyLayout().jobFolder(user, job) + "/" + output;
    }

    @Override
    public boolean isOutputOf(final String jobId, final String output) {
        return JOB.matcher(jobId).matches()
                && output.startsWith(jobId)
                && NUMBERS.matcher(output.substring(jobId.length())).matches();
    }

    @Override
    public String jobFolder(final String user, final String jobId) {
        return String.join("/", "toys", jobId, "of-" + user);
    }

    @Override
    public String dataFile() {
        return DATA;
    }

    @Override
    public String indexFile() {
        return INDEX;
    }
}
