// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.lab.engine.EngineConfig;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A table or figure of a paper, and what is measured for it here. Read from {@code exhibits.json};
 * what is left out there is empty, zero or false here. Immutable.
 *
 * @param id its name on the command line, as {@code rdma-fig4a}
 * @param origin where it comes from
 * @param chart what it shows
 * @param setup what is run for it
 * @param claims what the paper says of it, in numbers
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
        /** The same, map phase and the rest stacked. */
        PHASES,
        /** The mean time of a map: read, map and collect; spill and merge. */
        STAGES,
        /** Spill and merge of each map, sorted. */
        SPILLS,
        /** The mean time in which a reducer copies its data. */
        COPY_TIME,
        /** Maps and reducers that run, over time. */
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
        /** Ratios of other exhibits on one picture. */
        RADAR;

        /** Whether it is drawn over time, from samples taken while jobs ran. */
        public boolean isOverTime() {
            return compareTo(TASKS) >= 0 && this != RADAR;
        }
    }

    /**
     * Where an exhibit comes from.
     *
     * @param paper the first part of ids of this paper
     * @param figure as the paper names it
     * @param title what it shows
     * @param differs what is otherwise here than in the paper, in a sentence
     */
    public record Origin(String paper, String figure, String title, String differs) {}

    /**
     * What an exhibit shows.
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

        /** The most bytes of input of any point, in the paper's gigabytes. */
        double mostGigabytes() {
            return points.stream().mapToDouble(Point::gigabytes).max().orElse(1);
        }
    }

    /**
     * A place on the axis.
     *
     * @param label as the paper writes it
     * @param gigabytes of the paper's input
     * @param setup what differs here from the exhibit's own
     */
    public record Point(String label, double gigabytes, Setup setup) {
        /** Nothing differs where nothing is said. */
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
     * What is run. Zero and null are "as elsewhere".
     *
     * @param workload by its name
     * @param cluster the hosts
     * @param maps of a job
     * @param reduces of a job
     * @param properties of all jobs
     * @param runsOf the exhibit whose runs are shown, where there are none of its own
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

        /** This one, where the other says nothing. */
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
     * @param memoryNodes beside them
     * @param sharedFs whether they share a distributed file system
     * @param link between them, as {@code --link} takes it; null is none
     */
    public record Cluster(int hosts, int memoryNodes, boolean sharedFs, String link) {
        static final Cluster PLAIN = new Cluster(0, 0, false, null);
    }

    /**
     * What a paper says in numbers: of one system against another.
     *
     * @param point where; null for the mean of all points
     * @param of the one that is better there
     * @param over the other
     * @param measure a key of the medians; null for the time of the job
     * @param percent by how much less
     * @param times or how many times less; zero where {@code percent} is given
     */
    public record Claim(
            String point, String of, String over, String measure, double percent, double times) {
        private static final String JOB_TIME = "wall_seconds";

        String key() {
            return measure == null ? JOB_TIME : measure;
        }
    }
}
