// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShellWordTest {
    private static final List<String> WORDS =
            List.of(
                    "a/b-c_d.e:f=g@h%i+j,k",
                    "", "two words", "it's", "$HOME `id` \"x\" \\ *", "a\nb");

    @Test
    void leavesPlainWordsAsTheyAre() {
        assertThat(ShellWord.quoted(WORDS.get(0))).isEqualTo(WORDS.get(0));
        assertThat(ShellWord.line(List.of("a", "b c"))).isEqualTo("a 'b c'");
    }

    @Test
    void aShellReadsTheWordsThatWereGiven() throws Exception {
        final String script = "printf '<%s>' " + ShellWord.line(WORDS);

        final Process shell = new ProcessBuilder("sh", "-c", script).start();
        final String read =
                new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(read).isEqualTo("<" + String.join("><", WORDS) + ">");
    }
}
