// SPDX-License-Identifier: Apache-2.0
package io.spillway.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TaskReportTest {
    private final TaskReport report = new TaskReport();

    @Test
    void sumsFiguresAndWritesThemAfterTheNotes() {
        report.note("task", "attempt_1_0001_r_000000_0");
        report.note("maps", 7);
        report.add(ShuffleCounter.STALL_MILLIS, 3);
        report.add(ShuffleCounter.FETCH_SPILLWAY_BYTES, 1L << 40);
        report.add(ShuffleCounter.STALL_MILLIS, 4);

        assertThat(report.toJson())
                .isEqualTo(
                        "{\"task\":\"attempt_1_0001_r_000000_0\",\"maps\":7,"
                                + "\"fetch_spillway_bytes\":1099511627776,\"stall_millis\":7}");
        assertThat(report.get(ShuffleCounter.STALL_MILLIS)).isEqualTo(7);
        assertThat(report.get(ShuffleCounter.SORT_MILLIS)).isZero();
    }

    @Test
    void writesMapsAsObjects() {
        final Map<String, Object> values = new LinkedHashMap<>();
        values.put("a \"b\"", 3L);
        values.put("c", "text");
        report.note("empty", Map.of());
        report.note("values", values);
        report.note("after", 1);

        assertThat(report.toJson())
                .isEqualTo("{\"values\":{\"a \\\"b\\\"\":3,\"c\":\"text\"},\"after\":1}");
    }

    @Test
    void escapesText() {
        report.note("why", "a \"b\" \\ c\n\u0001");

        assertThat(report.toJson()).isEqualTo("{\"why\":\"a \\\"b\\\" \\\\ c\\u000a\\u0001\"}");
    }

    @Test
    void anEmptyReportIsAnEmptyObject() {
        assertThat(report.toJson()).isEqualTo("{}");
    }

    @Test
    void publishesOnlyFiguresThatAreNotZero() {
        report.note("maps", 7);
        report.add(ShuffleCounter.STALL_MILLIS, 0);
        report.add(ShuffleCounter.PEAK_BUFFER_BYTES, 5);
        final List<String> published = new ArrayList<>();

        report.publish((figure, value) -> published.add(figure + "=" + value));

        assertThat(published).containsExactly("PEAK_BUFFER_BYTES=5");
    }
}
