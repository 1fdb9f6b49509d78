// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop;

import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.handler.TierForecast;
import io.spillway.hadoop.job.StockReason;
import io.spillway.report.JsonText;
import io.spillway.transport.ucx.worker.UcxLibrary;
import io.spillway.transport.ucx.worker.UcxSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.util.VersionInfo;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Says as one line of JSON what only Hadoop's own classes, or native code, can say of this host:
 * {@code spillway doctor} has neither on its class path. Changes nothing.
 */
public final class HostProbe {
    /** The argument that asks for UCX, which may end the process. */
    public static final String UCX = "ucx";

    private HostProbe() {}

    /** Prints the line; with {@value #UCX}, why UCX cannot be used. */
    public static void main(final String[] arguments) {
        final JobConf conf = new JobConf(new YarnConfiguration());
        final Map<String, ?> answer =
                List.of(arguments).contains(UCX) ? ucx(conf) : configuration(conf);
        System.out.println(JsonText.of(answer));
    }

    private static Map<String, ?> ucx(final Configuration conf) {
        return Map.of(
                "obstacle", UcxLibrary.obstacle(UcxSettings.from(new Lookup(conf))).orElse(""));
    }

    static Map<String, ?> configuration(final JobConf conf) {
        final Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("hadoop", VersionInfo.getVersion());
        answer.put("properties", properties(conf));
        answer.put("stockReason", StockReason.of(conf).orElse(""));
        answer.put("tiers", tiers(conf));
        return answer;
    }

    /** With variables replaced, as the daemons read them, but no passwords. */
    private static Map<String, String> properties(final Configuration conf) {
        final Map<String, String> properties = new TreeMap<>();
        for (final Map.Entry<String, String> entry : conf) {
            final String name = entry.getKey();
            if (!name.contains("password") && !name.contains("secret.key")) {
                properties.put(name, conf.getTrimmed(name, ""));
            }
        }
        return properties;
    }

    private static List<Map<String, ?>> tiers(final Configuration conf) {
        final List<Map<String, ?>> tiers = new ArrayList<>();
        for (final TierForecast tier : TierForecast.all(conf)) {
            tiers.add(
                    Map.of(
                            "tier", tier.tier(),
                            "directory", tier.directory(),
                            "bytes", tier.bytes(),
                            "why", tier.why(),
                            "refused", tier.isRefused()));
        }
        return tiers;
    }
}
