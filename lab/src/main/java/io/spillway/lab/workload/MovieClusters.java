// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;

/**
 * The movies that others are compared with, as made of a seed: {@code
 * spillway.bench.movies.clusters} of them. Immutable.
 */
final class MovieClusters {
    private static final String CLUSTERS = "spillway.bench.movies.clusters";
    private static final int DEFAULT = 16;
    private static final int FIRST_SEED = 1_000_003;

    private final List<MovieRatings> centroids = new ArrayList<>();

    MovieClusters(final Configuration conf) {
        final int clusters = conf.getInt(CLUSTERS, DEFAULT);
        for (int cluster = 0; cluster < clusters; cluster++) {
            centroids.add(MovieRatings.random(cluster, new SplittableRandom(FIRST_SEED + cluster)));
        }
    }

    /** The cluster that is most similar; of equal ones the first. */
    int nearest(final MovieRatings movie) {
        int nearest = 0;
        for (int cluster = 1; cluster < centroids.size(); cluster++) {
            if (similarity(cluster, movie) > similarity(nearest, movie)) {
                nearest = cluster;
            }
        }
        return nearest;
    }

    /** How similar a movie is to a cluster. */
    long similarity(final int cluster, final MovieRatings movie) {
        return centroids.get(cluster).similarity(movie);
    }
}
