// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RecordDigestTest {
    private static final int CONTENT = 2;
    private static final int SEQUENCE = 3;
    private static final int SORTED = 4;

    private static String[] digest(final List<String> keys) {
        final RecordDigest digest = new RecordDigest();
        for (final String key : keys) {
            final byte[] bytes = ("#" + key + "=value").getBytes(StandardCharsets.UTF_8);
            final int keyLength = key.getBytes(StandardCharsets.UTF_8).length;
            digest.add(bytes, 1, keyLength, bytes, 1 + keyLength, bytes.length - 1 - keyLength);
        }
        return digest.render().split("\t", -1);
    }

    @Property(tries = 200)
    void contentDoesNotDependOnTheOrder(
            @ForAll @Size(max = 30) final List<String> keys, @ForAll final long seed) {
        final List<String> shuffled = new ArrayList<>(keys);
        Collections.shuffle(shuffled, new Random(seed));

        assertThat(digest(shuffled)[CONTENT]).isEqualTo(digest(keys)[CONTENT]);
    }

    @Property(tries = 200)
    void contentDependsOnEveryRecord(@ForAll @Size(min = 1, max = 30) final List<String> keys) {
        final List<String> less = keys.subList(1, keys.size());
        final List<String> twice = new ArrayList<>(keys);
        twice.add(keys.get(0));
        final List<String> other = new ArrayList<>(less);
        other.add(keys.get(0) + "!");

        assertThat(List.of(digest(less)[CONTENT], digest(twice)[CONTENT], digest(other)[CONTENT]))
                .doesNotContain(digest(keys)[CONTENT]);
    }

    @Test
    void theBorderBetweenKeyAndValueCounts() {
        final byte[] bytes = "abcd".getBytes(StandardCharsets.UTF_8);
        final RecordDigest one = new RecordDigest();
        final RecordDigest other = new RecordDigest();
        one.add(bytes, 0, 1, bytes, 1, 3);
        other.add(bytes, 0, 2, bytes, 2, 2);

        assertThat(one.render()).isNotEqualTo(other.render());
    }

    @Test
    void seesOrderAndItsLack() {
        assertThat(digest(List.of("a", "ab", "b", "b", "é"))[SORTED]).isEqualTo("true");
        assertThat(digest(List.of("b", "a"))[SORTED]).isEqualTo("false");
        assertThat(digest(List.of("a", "b"))[SEQUENCE])
                .isNotEqualTo(digest(List.of("b", "a"))[SEQUENCE]);
    }
}
