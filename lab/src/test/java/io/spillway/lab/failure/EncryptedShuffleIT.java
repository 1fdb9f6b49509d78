// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.cli.site.ConfFile;
import io.spillway.lab.cluster.Clusters;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A cluster whose shuffle goes over TLS: that is stock Hadoop's, and jobs are to notice nothing.
 */
@ExtendWith(OnFailureSite.class)
class EncryptedShuffleIT {
    private static final String PASSWORD = "changeit";
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
        makeKey();
        for (int node = 0; node < FailureSite.NODES; node++) {
            final Path folder = Clusters.work().cluster(site.cluster().spec().name());
            write(folder.resolve("conf/node-" + node), "ssl-server.xml", "ssl.server.");
        }
        restartAll(Map.of(ENABLED, "true"));
    }

    @AfterEach
    void encryptNoMore() {
        restartAll(Map.of());
    }

    private void restartAll(final Map<String, String> properties) {
        for (int node = 0; node < FailureSite.NODES; node++) {
            site.cluster().daemons().killNodeManager(node);
            site.cluster().daemons().restartNodeManager(node, properties);
        }
    }

    private void makeKey() throws IOException, InterruptedException {
        final Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                                "-genkeypair",
                                "-alias",
                                "node",
                                "-keyalg",
                                "RSA",
                                "-dname",
                                "CN=node",
                                "-storetype",
                                "PKCS12",
                                "-storepass",
                                PASSWORD,
                                "-keystore",
                                keys.toString())
                        .inheritIO()
                        .start();
        assertThat(keytool.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(keytool.exitValue()).isZero();
    }

    private void write(final Path folder, final String file, final String prefix)
            throws IOException {
        final Map<String, String> properties = new TreeMap<>();
        for (final String store : List.of("keystore", "truststore")) {
            properties.put(prefix + store + ".location", keys.toString());
            properties.put(prefix + store + ".password", PASSWORD);
            properties.put(prefix + store + ".type", "PKCS12");
        }
        properties.put(prefix + "keystore.keypassword", PASSWORD);
        ConfFile.write(folder.resolve(file), properties);
    }

    @Test
    void jobsUseTheStockShuffleWithWhatSpillwaysMapsHaveLeft() throws Exception {
        final Map<String, String> properties = new TreeMap<>(FailureSite.FEW_MAPS);
        properties.put(ENABLED, "true");
        write(conf, "ssl-client.xml", "ssl.client.");
        properties.put("hadoop.ssl.hostname.verifier", "ALLOW_ALL");
        properties.put("mapreduce.task.io.sort.mb", "1");
        properties.put(
                "mapreduce.application.classpath",
                String.join(",", site.cluster().clientClassPath())
                        + ","
                        + site.cluster().plugIn().engine()
                        + ","
                        + conf);
        final JobFigures job = site.runAndCompare(properties);

        assertThat(Figures.of(job, ShuffleCounter.STOCK_FALLBACKS)).isEqualTo(job.reduces());
        assertThat(Figures.of(job, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isZero();
        assertThat(job.task("SHUFFLED_MAPS").total()).isPositive();
        assertThat(site.taskLogLines(job.jobId(), "Using the stock shuffle: " + ENABLED + "=true"))
                .hasSize(job.reduces());
        assertThat(
                        site.taskLogLines(
                                job.jobId(),
                                "Map output collector class ="
                                        + " io.spillway.hadoop.SpillwayCollector"))
                .hasSize(job.maps());
        assertThat(Figures.lostMapAttempts(job)).isZero();
    }
}
