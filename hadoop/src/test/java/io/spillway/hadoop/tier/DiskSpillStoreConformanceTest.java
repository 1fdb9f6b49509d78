// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.tier;

import io.spillway.store.SpillStore;
import io.spillway.store.SpillStoreConformance;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.io.TempDir;

/** The disk tier keeps the contract of all tiers. */
class DiskSpillStoreConformanceTest extends SpillStoreConformance {
    @TempDir private Path folder;

    @Override
    protected SpillStore newStore() throws IOException {
        final FileSystem raw = FileSystem.getLocal(new Configuration(false)).getRaw();
        return new DiskSpillStore(
                raw,
                (number, bytes) ->
                        new org.apache.hadoop.fs.Path(folder.resolve("spill" + number).toString()));
    }
}
