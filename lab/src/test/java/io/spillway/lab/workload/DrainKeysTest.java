// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class DrainKeysTest {
    /** As TeraSort.SimplePartitioner. */
    private static int partition(final byte[] key, final int reduces) {
        final int prefixesPerReduce = (int) Math.ceil((1 << 24) / (float) reduces);
        final int prefix = ((key[0] & 0xFF) << 16) | ((key[1] & 0xFF) << 8) | (key[2] & 0xFF);
        return prefix / prefixesPerReduce;
    }

    private static byte[] key(final long head, final long rest) {
        final byte[] key = new byte[DrainKeys.KEY];
        DrainKeys.write(key, head, rest);
        return key;
    }

    @Property(tries = 500)
    void rangesAreDisjointAndOrderedAndOfTheirPartition(
            @ForAll @IntRange(min = 1, max = 100_000) final int files,
            @ForAll @IntRange(min = 1, max = 100_000) final int reduces,
            @ForAll @IntRange(max = 99_999) final int anyFile,
            @ForAll @IntRange(max = 99_999) final int anyPartition) {
        final DrainKeys keys = new DrainKeys(files, reduces);
        final int partition = anyPartition % keys.partitions();
        final int file = anyFile % files;
        final byte[] first = key(keys.first(partition, file), 0);
        final byte[] last = key(keys.first(partition, file) + keys.width(partition) - 1, -1);

        assertThat(keys.partitions()).isBetween(1, reduces);
        assertThat(keys.width(partition)).isPositive();
        assertThat(partition(first, reduces)).isEqualTo(partition);
        assertThat(partition(last, reduces)).isEqualTo(partition);
        if (file + 1 < files) {
            final byte[] next = key(keys.first(partition, file + 1), 0);
            assertThat(Arrays.compareUnsigned(last, next)).isNegative();
        }
    }

    @Test
    void refusesNoFilesAndNoReducers() {
        assertThatThrownBy(() -> new DrainKeys(0, 1)).hasMessageContaining("files=0");
        assertThatThrownBy(() -> new DrainKeys(1, 0)).hasMessageContaining("reduces=0");
    }
}
