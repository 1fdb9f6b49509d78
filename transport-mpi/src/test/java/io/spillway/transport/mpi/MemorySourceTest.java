// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.SegmentSource;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a source has beside its files, it has in memory, too: no default stands in for it. */
final class MemorySourceTest {
    private static List<String> defaultsOf(final Class<?> type) {
        return names(Arrays.stream(type.getMethods()).filter(Method::isDefault).toList());
    }

    private static List<String> names(final List<Method> methods) {
        return methods.stream().map(Method::getName).distinct().toList();
    }

    private static List<String> ownOf(final Class<?> type) {
        return names(Arrays.asList(type.getDeclaredMethods()));
    }

    @Test
    void nothingOfASourceIsLost() {
        assertThat(ownOf(MemorySource.class)).containsAll(defaultsOf(SegmentSource.class));
    }

    @Test
    void nothingOfASegmentIsLostButItsFile() {
        final Class<?> segment =
                Arrays.stream(MemorySource.class.getDeclaredClasses())
                        .filter(ServedSegment.class::isAssignableFrom)
                        .findFirst()
                        .orElseThrow();
        assertThat(defaultsOf(ServedSegment.class)).contains("records");
        assertThat(ownOf(segment))
                .containsAll(
                        defaultsOf(ServedSegment.class).stream()
                                .filter(name -> !"file".equals(name))
                                .toList());
    }
}
