// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.lab.engine.EngineConfig;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A table or figure of a paper, and the runs that measure it. Read from {@code exhibits.json};
 * fields that are missing there are empty, zero or false. Immutable.
 *
 * @param id its name on the command line, as {@code rdma-fig4a}
 * @param origin the paper and its figure
 * @param chart its points and series
 * @param setup of its runs
 * @param claims the paper's numbers
 */
public record Exhibit(String id, Origin origin, Chart chart, Setup setup, List<Claim> claims) {
    /** Copies what is mutable. */
    public Exhibit {
        claims = claims == null ? List.of() : List.copyOf(claims);
    }

    /** How an exhibit is drawn. */
    public enum Kind {
        /** The time of a job, by point and series. */
        JOB_TIME,
        /** The time of a job, map phase and the rest stacked. */
        PHASES,
        /** The mean time of a map: read, map and collect; spill and merge. */
        STAGES,
        /** Spill and merge of each map, sorted. */
        SPILLS,
        /** The mean time in which a reducer copies its data. */
        COPY_TIME,
        /** Running maps and reducers, over time. */
        TASKS,
        /** Progress of maps and reduces, over time. */
        PROGRESS,
        /** Processors in use, over time. */
        CPU,
        /** Memory in use, over time. */
        MEMORY,
        /** Bytes a second that a host receives, over time. */
        THROUGHPUT,
        /** Operations of disks a second, over time. */
        DISK,
        /** Ratios of other exhibits in one plot. */
        RADAR;

        /** Whether the plot is over time, from samples of the machine during the jobs. */
        public boolean isOverTime() {
            return compareTo(TASKS) >= 0 && this != RADAR;
        }
    }

    /**
     * The origin of an exhibit.
     *
     * @param paper the first part of ids of this paper
     * @param figure as the paper names it
     * @param title of the figure
     * @param differs the differences to the paper's setup, in sentences
     */
    public record Origin(String paper, String figure, String title, String differs) {}

    /**
     * The points and series of an exhibit.
     *
     * @param points along the axis, from left to right
     * @param series the systems compared
     */
    public record Chart(Kind kind, String axis, List<Point> points, List<Series> series) {
        /** Copies what is mutable. */
        public Chart {
            Objects.requireNonNull(kind, "kind");
            points = points == null ? List.of() : List.copyOf(points);
            series = series == null ? List.of() : List.copyOf(series);
        }

        /** The largest input of any point, in the paper's gigabytes. */
        double mostGigabytes() {
            return points.stream().mapToDouble(Point::gigabytes).max().orElse(1);
        }
    }

    /**
     * A point on the axis.
     *
     * @param label as the paper writes it
     * @param gigabytes of input in the paper
     * @param setup the differences to the exhibit's setup
     */
    public record Point(String label, double gigabytes, Setup setup) {
        /** Replaces a missing setup by an empty one. */
        public Point {
            setup = setup == null ? Setup.NOTHING : setup;
        }
    }

    /**
     * A system.
     *
     * @param name in the legend, the paper's where it has one
     * @param engine as {@code compare --engines} takes it
     */
    public record Series(String name, String engine) {
        EngineConfig config() {
            return EngineConfig.parse(engine);
        }
    }

    /**
     * The setup of runs. Zero and null mean the default.
     *
     * @param workload by its name
     * @param cluster the hosts
     * @param maps of a job
     * @param reduces of a job
     * @param properties of all jobs
     * @param runsOf the exhibit whose runs are shown, where this one has no runs of its own
     */
    public record Setup(
            String workload,
            Cluster cluster,
            int maps,
            int reduces,
            Map<String, String> properties,
            String runsOf) {
        static final Setup NOTHING = new Setup(null, null, 0, 0, Map.of(), null);

        /** Copies what is mutable. */
        public Setup {
            properties = properties == null ? Map.of() : Map.copyOf(properties);
        }

        /** Returns this setup, with the other one's values where it has any. */
        Setup with(final Setup other) {
            return new Setup(
                    other.workload == null ? workload : other.workload,
                    other.cluster == null ? cluster : other.cluster,
                    other.maps == 0 ? maps : other.maps,
                    other.reduces == 0 ? reduces : other.reduces,
                    other.properties.isEmpty() ? properties : other.properties,
                    runsOf);
        }
    }

    /**
     * The hosts of an exhibit, emulated on one machine.
     *
     * @param hosts with tasks; 0 is a plain local cluster of two nodes
     * @param memoryNodes how many memory nodes there are in addition
     * @param sharedFs whether they share a distributed file system
     * @param link the emulated link between them, as {@code --link} takes it; null means none
     */
    public record Cluster(int hosts, int memoryNodes, boolean sharedFs, String link) {
        static final Cluster PLAIN = new Cluster(0, 0, false, null);
    }

    /**
     * A number of a paper: the comparison of two systems.
     *
     * @param point of the comparison; null for the mean of all points
     * @param of the system that is better in the paper
     * @param over the other system
     * @param measure a key of the medians; null for the time of the job
     * @param percent the reduction in percent
     * @param times the reduction as a factor; zero where {@code percent} is given
     */
    public record Claim(
            String point, String of, String over, String measure, double percent, double times) {
        private static final String JOB_TIME = "wall_seconds";

        String key() {
            return measure == null ? JOB_TIME : measure;
        }
    }
}
