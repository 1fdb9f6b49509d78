// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.io.IOException;
import java.util.SplittableRandom;

/** A workload over lines of {@link MovieRatings}. */
abstract class MovieProgram extends SuiteProgram {
    @Override
    final void write(final Share share, final LineFiles.Sink out)
            throws IOException, InterruptedException {
        final SplittableRandom random = share.random(seed());
        for (long movie = share.file(); !out.isFull(); movie += share.files()) {
            out.add(MovieRatings.random(movie, random).toString());
        }
    }
}
