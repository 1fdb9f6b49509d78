// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import java.util.SplittableRandom;

/**
 * A movie's ratings, as {@code movie:user_rating,user_rating,...}: each user once, in order, with
 * one to five stars. Immutable.
 */
final class MovieRatings {
    private static final int USERS = 20_000;
    private static final int MOST_STARS = 5;
    private static final int FEWEST_RATINGS = 5;
    private static final int MOST_RATINGS = 1_000;

    /** How exact a similarity is. */
    private static final double UNIT = 1e9;

    private final long movie;
    private final int[] users;
    private final int[] stars;

    private MovieRatings(final long movie, final int[] users, final int[] stars) {
        this.movie = movie;
        this.users = users;
        this.stars = stars;
    }

    /** A random movie; few have many ratings. */
    static MovieRatings random(final long movie, final SplittableRandom random) {
        final double part = random.nextDouble();
        final int ratings =
                FEWEST_RATINGS + (int) (part * part * part * (MOST_RATINGS - FEWEST_RATINGS));
        final int[] users = new int[ratings];
        final int[] stars = new int[ratings];
        final double mean = 1 + random.nextDouble() * (MOST_STARS - 1);
        int user = 0;
        for (int i = 0; i < ratings; i++) {
            user += 1 + random.nextInt(2 * USERS / ratings);
            users[i] = user;
            final long near = Math.round(mean + random.nextDouble(-1.5, 1.5));
            stars[i] = (int) Math.max(1, Math.min(MOST_STARS, near));
        }
        return new MovieRatings(movie, users, stars);
    }

    static MovieRatings parse(final String line) {
        final int colon = line.indexOf(':');
        final String[] ratings = line.substring(colon + 1).split(",", -1);
        final int[] users = new int[ratings.length];
        final int[] stars = new int[ratings.length];
        for (int i = 0; i < ratings.length; i++) {
            final int bar = ratings[i].indexOf('_');
            users[i] = Integer.parseInt(ratings[i].substring(0, bar));
            stars[i] = Integer.parseInt(ratings[i].substring(bar + 1));
        }
        return new MovieRatings(Long.parseLong(line.substring(0, colon)), users, stars);
    }

    long movie() {
        return movie;
    }

    /** Each rating's stars. */
    int[] stars() {
        return stars.clone();
    }

    /**
     * The cosine over users that have rated both, from 0 to a billion: whole, so sums are exact.
     */
    long similarity(final MovieRatings other) {
        long product = 0;
        long square = 0;
        long otherSquare = 0;
        for (int i = 0, j = 0; i < users.length && j < other.users.length; ) {
            if (users[i] == other.users[j]) {
                product += (long) stars[i] * other.stars[j];
                square += (long) stars[i] * stars[i];
                otherSquare += (long) other.stars[j] * other.stars[j];
                i++;
                j++;
            } else if (users[i] < other.users[j]) {
                i++;
            } else {
                j++;
            }
        }
        return product == 0
                ? 0
                : Math.round(UNIT * product / Math.sqrt((double) square * otherSquare));
    }

    @Override
    public String toString() {
        final StringBuilder line = new StringBuilder().append(movie);
        for (int i = 0; i < users.length; i++) {
            line.append(i == 0 ? ':' : ',').append(users[i]).append('_').append(stars[i]);
        }
        return line.toString();
    }
}
