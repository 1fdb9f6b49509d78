// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.Settings;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.hadoop.conf.Lookup;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hadoop.mapred.JobConf;

/**
 * Why all reducers of a job use the stock shuffle, although Spillway's is configured. Maps and
 * reducers ask with the same inputs, the job's configuration alone: where maps leave what stock's
 * reducers cannot read, no reducer comes to another answer by what it finds on its host.
 */
public final class StockReason {
    private StockReason() {}

    /** The reason, or nothing where the job's configuration holds none. */
    public static Optional<String> of(final JobConf conf) {
        final Function<String, String> lookup = new Lookup(conf);
        try {
            if (!HadoopKeys.SHUFFLE_ENABLED.get(lookup)) {
                return Optional.of(HadoopKeys.SHUFFLE_ENABLED.name() + "=false");
            }
            final Optional<String> cipher = IntermediateEncryption.reasonOfSuite(conf);
            if (cipher.isPresent()) {
                return cipher;
            }
            Settings.validate(lookup);
            PlannedWindows.requireBufferInHeap(conf);
            return PlannedWindows.reasonOfMemory(conf);
        } catch (final InvalidSettingException e) {
            return Optional.of(e.getMessage());
        }
    }
}
