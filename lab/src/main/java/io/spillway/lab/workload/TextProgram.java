// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A workload over text whose words follow Zipf's law with exponent 1, as those of a language do. A
 * word is made of its rank's digits, a syllable for each, so that frequent words are short.
 */
abstract class TextProgram extends SuiteProgram {
    private static final int WORDS = 50_000;
    private static final int FEWEST = 6;
    private static final int MOST = 16;
    private static final String CONSONANTS = "bcdfghjklmnprstvwxyz";
    private static final String VOWELS = "aeiou";

    /** Of all words up to each rank, their share of the text. */
    private static final double[] SHARES = shares();

    private static double[] shares() {
        final double[] shares = new double[WORDS];
        double sum = 0;
        for (int rank = 0; rank < WORDS; rank++) {
            sum += 1.0 / (rank + 1);
            shares[rank] = sum;
        }
        for (int rank = 0; rank < WORDS; rank++) {
            shares[rank] /= sum;
        }
        return shares;
    }

    @Override
    final void write(final Share share, final LineFiles.Sink out)
            throws IOException, InterruptedException {
        final SplittableRandom random = share.random(seed());
        final StringBuilder line = new StringBuilder();
        while (!out.isFull()) {
            line.setLength(0);
            for (int left = random.nextInt(FEWEST, MOST + 1); left > 0; left--) {
                append(line, rank(random.nextDouble()));
                line.append(left > 1 ? " " : "");
            }
            out.add(line.toString());
        }
    }

    private static int rank(final double share) {
        final int found = Arrays.binarySearch(SHARES, share);
        return Math.min(WORDS - 1, found < 0 ? -found - 1 : found);
    }

    private static void append(final StringBuilder line, final int rank) {
        int left = rank;
        do {
            final int syllable = left % (CONSONANTS.length() * VOWELS.length());
            line.append(CONSONANTS.charAt(syllable / VOWELS.length()));
            line.append(VOWELS.charAt(syllable % VOWELS.length()));
            left /= CONSONANTS.length() * VOWELS.length();
        } while (left > 0);
    }
}
