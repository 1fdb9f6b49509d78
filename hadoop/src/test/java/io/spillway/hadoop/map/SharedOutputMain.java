// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapOutputCollector;

/**
 * Map tasks of one job whose outputs go to a shared directory, in a process of their own: with the
 * variables of a container, under a tracer, on a mount. Prints for each where its output is.
 */
public final class SharedOutputMain {
    private SharedOutputMain() {}

    /**
     * Runs maps of a record each, one after the other.
     *
     * @param arguments a local directory, the shared directory, and for each map the bytes of its
     *     record's value
     */
    public static void main(final String[] arguments) throws Exception {
        final MapFixture job = new MapFixture(Path.of(arguments[0]), 1);
        job.conf.set("spillway.store.lustre.dir", arguments[1]);
        job.conf.set("spillway.output.tiers", "lustre,disk");
        for (int map = 0; map < arguments.length - 2; map++) {
            final boolean unused = Files.exists(Path.of("/map-" + map + "-begins"));
            final MapOutputCollector<Text, Text> collector = job.collector(map, () -> {});
            final Text value = new Text("v".repeat(Integer.parseInt(arguments[map + 2])));
            collector.collect(new Text("key"), value, 0);
            collector.flush();
            collector.close();
            final Path output = job.lastOutput();
            System.out.println(
                    Files.isSymbolicLink(output) ? Files.readSymbolicLink(output) : output);
        }
    }
}
