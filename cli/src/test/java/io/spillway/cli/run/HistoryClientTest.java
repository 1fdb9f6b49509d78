// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.spillway.cli.failure.BadInputException;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Against answers recorded from a JobHistoryServer of Hadoop 3.5.0. */
class HistoryClientTest {
    private static final String WORD_COUNT = "job_1795257766407_0006";
    private static final String FAILED = "job_1795257766407_0005";

    private HttpServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.stop(0);
        }
    }

    private HistoryClient replay(final String recording) throws IOException {
        final JsonNode answers;
        try (InputStream stream = HistoryClientTest.class.getResourceAsStream(recording)) {
            answers = new ObjectMapper().readTree(stream);
        }
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> answer(exchange, answers));
        server.start();
        return new HistoryClient(URI.create("http://localhost:" + server.getAddress().getPort()));
    }

    private static void answer(final HttpExchange exchange, final JsonNode answers)
            throws IOException {
        final JsonNode answer = answers.get(exchange.getRequestURI().toString());
        final byte[] body =
                answer == null ? new byte[0] : answer.toString().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer == null ? 404 : 200, answer == null ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Test
    void readsFiguresOfAJobWithASingleReducer() throws IOException {
        final JobFigures job = replay("history-wordcount.json").job(WORD_COUNT, Duration.ZERO);

        assertThat(job.jobId()).isEqualTo(WORD_COUNT);
        assertThat(job.succeeded()).isTrue();
        assertThat(job.maps()).isEqualTo(2);
        assertThat(job.reduces()).isEqualTo(1);
        assertThat(job.task("SHUFFLED_MAPS").reduce()).isEqualTo(2);
        assertThat(job.spilledRecords()).isEqualTo(1_810);
        assertThat(job.cpuMillis()).isEqualTo(new JobFigures.CounterValue(720, 420, 1_140));
        assertThat(job.figure(ShuffleCounter.SORT_MILLIS).total()).isZero();
    }

    @Test
    void takesSpillwaysFiguresFromTheCountersThatHoldThem() throws IOException {
        final JsonNode counters =
                new ObjectMapper()
                        .readTree(
                                """
                                {"jobCounters": {"counterGroup": [{
                                  "counterGroupName":
                                    "org.apache.hadoop.mapreduce.FileSystemCounter",
                                  "counter": [
                                    {"name": "FILE_BYTES_WRITTEN", "totalCounterValue": 5},
                                    {"name": "SPILLWAY-OF-TOMORROW_WRITE_OPS",
                                     "totalCounterValue": 6},
                                    {"name": "SPILLWAY-SPILL-DISK-BYTES_BYTES_WRITTEN",
                                     "mapCounterValue": 7, "totalCounterValue": 7}]}]}}
                                """);
        final JsonNode none = new ObjectMapper().createObjectNode();
        final JobFigures job = JobFigures.read(none, counters, List.of(), List.of());

        assertThat(job.figure(ShuffleCounter.SPILL_DISK_BYTES))
                .isEqualTo(new JobFigures.CounterValue(7, 0, 7));
        assertThat(job.counter(JobFigures.FIGURES, "OF_TOMORROW").total()).isEqualTo(6);
        assertThat(job.fileBytesWritten()).isEqualTo(5);
        assertThat(job.counters().get("org.apache.hadoop.mapreduce.FileSystemCounter"))
                .containsOnlyKeys("FILE_BYTES_WRITTEN");
    }

    @Test
    void splitsTheWallTimeIntoStages() throws IOException {
        final JobFigures job = replay("history-wordcount.json").job(WORD_COUNT, Duration.ZERO);

        assertThat(job.wallMillis()).isEqualTo(54_548);
        final JobStages stages = job.stages();
        assertThat(stages)
                .isEqualTo(
                        new JobStages(
                                24_070,
                                18_714,
                                11_236,
                                11_349,
                                11_764,
                                18_430,
                                8_640,
                                113,
                                272,
                                stages.tasks()));
        assertThat(stages.tasks()).hasSize(job.maps() + job.reduces());
        assertThat(stages.tasks())
                .filteredOn(JobStages.TaskTime::isMap)
                .hasSize(job.maps())
                .allMatch(task -> 24_070 <= task.start() && task.start() < task.end());
    }

    @Test
    void subtractsOutputOnLocalFilesFromIntermediateBytes() throws IOException {
        final JobFigures job = replay("history-wordcount.json").job(WORD_COUNT, Duration.ZERO);

        assertThat(job.outputBytes()).isEqualTo(9_071);
        assertThat(job.intermediateBytesWritten(true)).isEqualTo(938_826 - 9_071);
        assertThat(job.intermediateBytesWritten(false)).isEqualTo(938_826);
    }

    @Test
    void tellsWhyTasksFailed() throws IOException {
        assertThat(replay("history-failed.json").diagnostics(FAILED, Duration.ZERO))
                .anyMatch(text -> text.startsWith(FAILED) && text.contains("failedMaps:1"))
                .anyMatch(
                        text ->
                                text.startsWith("attempt_")
                                        && text.contains("Unrecognized option: -Xbogus"));
    }

    @Test
    void namesTheJobItCannotFind() throws IOException {
        final HistoryClient history = replay("history-failed.json");

        assertThatThrownBy(() -> history.job("job_1_1", Duration.ZERO))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("job_1_1");
        assertThatThrownBy(() -> history.job("../secret", Duration.ZERO))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("expected job_<time>_<number>");
    }
}
