package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.transport.FetchException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An attempt whose own process fails, on whichever of its threads, fails soon and says why. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LocalFailureTest {
    private static final int MAPS = 6;

    @TempDir Path directory;

    private final MemoryTransport transport = new MemoryTransport(1);

    @AfterEach
    void close() {
        transport.close();
    }

    private ReduceFixture fixture() throws IOException {
        final ReduceFixture fixture = new ReduceFixture(MAPS, directory);
        for (int i = 0; i < MAPS; i++) {
            transport.put(
                    ReduceFixture.node(i % 2),
                    ReduceFixture.map(i, 0).toString(),
                    TestSegment.random(new Random(i), 200, 100, null));
            fixture.succeeded(ReduceFixture.map(i, 0), ReduceFixture.node(i % 2));
        }
        return fixture;
    }

    @Test
    void failsWhenThisSideOfAConnectionFailsAndBlamesNoMap() throws Exception {
        final ReduceFixture fixture = fixture();
        transport.script((node, segment, offset) -> Reason.LOCAL);
        assertThatThrownBy(() -> fixture.readAll(transport))
                .isInstanceOf(IOException.class)
                .hasStackTraceContaining("scripted");
        assertThat(fixture.reported()).isEmpty();
    }

    @Test
    void failsWhenThisSideCannotOpenAConnectionAndBlamesNoMap() throws Exception {
        final ReduceFixture fixture = fixture();
        transport.refuse(ReduceFixture.node(0), Reason.LOCAL);
        assertThatThrownBy(() -> fixture.readAll(transport))
                .isInstanceOf(IOException.class)
                .hasStackTraceContaining("scripted for node0");
        assertThat(fixture.reported()).isEmpty();
    }
}
