// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import io.spillway.store.pool.FilePool;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapOutputCollector;

/**
 * What one map task costs in a JVM of its own: TeraSort's records through the real collector into
 * the memory tier. Run it once a task, as YARN does; {@code docs/results/sort-buffer.md} says how.
 */
final class MapTaskCost {
    private static final int KEY = 10;
    private static final int VALUE = 90;
    private static final int RECORD = 104;
    private static final long LIMIT = 64L << 30;

    private MapTaskCost() {}

    /**
     * Runs one task, or gives back the outputs of all.
     *
     * @param arguments a folder in memory; the map's number, or {@code end}; the sort buffer in MB;
     *     the output in MB
     */
    public static void main(final String[] arguments) throws Exception {
        final Path memory = Path.of(arguments[0]);
        final Path root = memory.resolve("node");
        for (final String part : new String[] {"pool", "apps"}) {
            Files.createDirectories(root.resolve(part));
        }
        final FilePool folder = FilePool.existing(root, LIMIT).orElseThrow();
        if ("end".equals(arguments[1])) {
            folder.reclaim(MapFixture.APPLICATION);
            return;
        }
        final int map = Integer.parseInt(arguments[1]);
        final int sortMegabytes = Integer.parseInt(arguments[2]);
        final long records = (Long.parseLong(arguments[3]) << 20) / RECORD;
        final MapFixture fixture = new MapFixture(memory, 16).offer(folder, LIMIT);
        fixture.conf.setInt("mapreduce.task.io.sort.mb", sortMegabytes);
        fixture.conf.setNumMapTasks(16);
        fixture.conf.set(
                "mapreduce.job.reduce.shuffle.consumer.plugin.class",
                "io.spillway.hadoop.SpillwayShuffle");
        run(fixture, map, records);
        print(sortMegabytes);
    }

    private static void run(final MapFixture fixture, final int map, final long records)
            throws IOException, InterruptedException, ClassNotFoundException {
        final MapOutputCollector<Text, Text> collector = fixture.collector(map, () -> {});
        final Random random = new Random(map);
        final byte[] bytes = new byte[KEY];
        final Text key = new Text();
        final Text value = new Text(new byte[VALUE]);
        for (long i = 0; i < records; i++) {
            random.nextBytes(bytes);
            key.set(bytes);
            collector.collect(key, value, (bytes[0] & 0xFF) >>> 4);
        }
        collector.flush();
        collector.close();
    }

    private static void print(final int sortMegabytes) {
        final long cpu =
                ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
                        .getProcessCpuTime();
        long collections = 0;
        long millis = 0;
        for (final GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += bean.getCollectionCount();
            millis += bean.getCollectionTime();
        }
        System.out.printf(
                "sort.mb=%d cpu=%.2f s, thread=%.2f s, gc=%d in %d ms%n",
                sortMegabytes,
                cpu / 1e9,
                ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9,
                collections,
                millis);
    }
}
