// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.option;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Words as a shell reads them. */
public final class ShellWord {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9@%+=:,./_-]+");

    private ShellWord() {}

    /** A word in quotes, where it needs them. */
    public static String quoted(final String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** Words with blanks between them. */
    public static String line(final List<String> words) {
        return words.stream().map(ShellWord::quoted).collect(Collectors.joining(" "));
    }
}
