// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.report.TaskReport;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What all parts of one shuffle share: memory, maps and counts. Owned by the loop's thread. */
public final class ShuffleState {
    public final ShuffleSettings settings;
    public final ShuffleLoop loop;
    public final ChunkPool pool;

    /** By number. */
    public final List<MapSlot> maps;

    public final ShuffleProgress progress;
    public final FetchFailures failures;

    /** Of a shuffle that has fetched nothing. */
    public ShuffleState(
            final ShuffleSettings settings,
            final ShuffleLoop loop,
            final ShuffleHost host,
            final TaskReport report) {
        this.settings = settings;
        this.loop = loop;
        this.pool = new ChunkPool(settings.chunkSize, settings.chunks, !settings.windowsByDemand);
        this.maps = IntStream.range(0, settings.numMaps).mapToObj(map -> newMap()).toList();
        this.progress = new ShuffleProgress(host, report, settings.numMaps);
        this.failures =
                new FetchFailures(
                        settings, host.task().counters(), progress::reportLost, loop.nowMillis());
    }

    private MapSlot newMap() {
        return new MapSlot(Stream.generate(pool::claim).limit(settings.runsPerMap).toList());
    }
}
