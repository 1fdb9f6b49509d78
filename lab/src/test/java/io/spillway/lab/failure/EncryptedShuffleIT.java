// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.cli.site.ConfFile;
import io.spillway.host.TestKeyStore;
import io.spillway.lab.cluster.Clusters;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A cluster whose shuffle goes over TLS: reducers of Spillway and of stock Hadoop, on the same
 * port.
 */
@ExtendWith(OnFailureSite.class)
class EncryptedShuffleIT {
    private static final String ENABLED = "mapreduce.shuffle.ssl.enabled";

    private final FailureSite site;
    private Path conf;
    private Path keys;

    EncryptedShuffleIT(final FailureSite site) {
        this.site = site;
    }

    @BeforeEach
    void encrypt() throws Exception {
        conf = Files.createDirectories(site.newPath("tls"));
        keys = conf.resolve("keys.p12");
        TestKeyStore.make(keys, "ip:127.0.0.12,ip:127.0.0.13");
        for (int node = 0; node < FailureSite.NODES; node++) {
            final Path folder = Clusters.work().cluster(site.cluster().spec().name());
            write(folder.resolve("conf/node-" + node), "ssl-server.xml", "ssl.server.");
            site.cluster().daemons().killNodeManager(node);
            if (node != FailureSite.STOCK_NODE) {
                site.cluster().daemons().restartNodeManager(node, Map.of(ENABLED, "true"));
            }
        }
    }

    @AfterEach
    void encryptNoMore() {
        for (int node = 0; node < FailureSite.NODES; node++) {
            if (node != FailureSite.STOCK_NODE) {
                site.cluster().daemons().killNodeManager(node);
            }
            site.cluster().daemons().restartNodeManager(node);
        }
    }

    private void write(final Path folder, final String file, final String prefix)
            throws IOException {
        final Map<String, String> properties = new TreeMap<>();
        for (final String store : List.of("keystore", "truststore")) {
            properties.put(prefix + store + ".location", keys.toString());
            properties.put(prefix + store + ".password", TestKeyStore.PASSWORD);
            properties.put(prefix + store + ".type", TestKeyStore.TYPE);
        }
        properties.put(prefix + "keystore.keypassword", TestKeyStore.PASSWORD);
        ConfFile.write(folder.resolve(file), properties);
    }

    private Map<String, String> job() throws IOException {
        final Map<String, String> properties = new TreeMap<>(FailureSite.FEW_MAPS);
        properties.put(ENABLED, "true");
        write(conf, "ssl-client.xml", "ssl.client.");
        properties.put("mapreduce.task.io.sort.mb", "1");
        // What is in the host's memory would not come through TLS.
        properties.put("spillway.transport", "tcp");
        properties.put(
                "mapreduce.application.classpath",
                String.join(",", site.cluster().clientClassPath())
                        + ","
                        + site.cluster().plugIn().engine()
                        + ","
                        + conf);
        return properties;
    }

    @Test
    void reducersOfSpillwayAndOfStockFetchInsideTls() throws Exception {
        final JobFigures ours = site.runAndCompare(job());
        Figures.assertNothingLost(ours);
        assertThat(Figures.of(ours, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
        assertThat(Figures.of(ours, ShuffleCounter.FETCH_HTTP_BYTES)).isZero();

        final Map<String, String> properties = job();
        properties.put(
                "mapreduce.job.reduce.shuffle.consumer.plugin.class",
                "org.apache.hadoop.mapreduce.task.reduce.Shuffle");
        final JobFigures stocks = site.runAndCompare(properties);
        assertThat(Figures.of(stocks, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isZero();
        assertThat(stocks.task("SHUFFLED_MAPS").total()).isPositive();
        assertThat(Figures.lostMapAttempts(stocks)).isZero();
        assertThat(
                        site.taskLogLines(
                                stocks.jobId(),
                                "Map output collector class ="
                                        + " io.spillway.hadoop.SpillwayCollector"))
                .hasSize(stocks.maps());
    }
}
