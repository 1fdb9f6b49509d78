// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.lab.engine.EngineConfig;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A table or figure of a paper, and the runs that measure it. Read from {@code exhibits.json};
 * fields that are missing there are empty, zero or false. Immutable.
 *
 * @param id its name on the command line, as {@code rdma-fig4a}
 * @param origin the paper and its figure
 * @param chart its points and series
 * @param setup of its runs
 * @param claims the paper's numbers
 * @param scale what the paper's hosts have otherwise than those of its other exhibits
 */
public record Exhibit(
        String id, Origin origin, Chart chart, Setup setup, List<Claim> claims, PaperScale scale) {
    /** Copies what is mutable, and replaces what is missing. */
    public Exhibit {
        claims = claims == null ? List.of() : List.copyOf(claims);
        scale = scale == null ? PaperScale.NOTHING : scale;
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

        /** Returns what is drawn, as far as it is a measure of a job. */
        List<ExhibitMeasure> measures() {
            return switch (this) {
                case PHASES -> List.of(ExhibitMeasure.MAP_PHASE, ExhibitMeasure.TAIL);
                case STAGES -> List.of(ExhibitMeasure.COLLECT, ExhibitMeasure.SPILL_AND_MERGE);
                case SPILLS -> List.of(ExhibitMeasure.SPILL_AND_MERGE);
                case COPY_TIME -> List.of(ExhibitMeasure.COPY_TIME);
                case CPU -> List.of(ExhibitMeasure.CPU_USE);
                case THROUGHPUT -> List.of(ExhibitMeasure.RECEIVED);
                default -> List.of(ExhibitMeasure.JOB_TIME);
            };
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

        /** The points that runs measure. */
        List<Point> measured() {
            return points.stream().filter(point -> !point.onlyModelled()).toList();
        }

        /** The largest input of any run, in the paper's gigabytes. */
        double mostGigabytes() {
            return measured().stream().mapToDouble(Point::gigabytes).max().orElse(1);
        }
    }

    /**
     * A point on the axis.
     *
     * @param label as the paper writes it
     * @param gigabytes of input in the paper
     * @param setup the differences to the exhibit's setup
     * @param onlyModelled whether no run measures it
     * @param scale what the paper's hosts have otherwise than those of the exhibit
     */
    public record Point(
            String label, double gigabytes, Setup setup, boolean onlyModelled, PaperScale scale) {
        /** Replaces what is missing. */
        public Point {
            setup = setup == null ? Setup.NOTHING : setup;
            scale = scale == null ? PaperScale.NOTHING : scale;
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
            final Map<String, String> all = new TreeMap<>(properties);
            all.putAll(other.properties);
            return new Setup(
                    other.workload == null ? workload : other.workload,
                    other.cluster == null ? cluster : other.cluster,
                    other.maps == 0 ? maps : other.maps,
                    other.reduces == 0 ? reduces : other.reduces,
                    all,
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
     * A number of a paper: the comparison of two systems, or a measure of one system.
     *
     * @param point of the number
     * @param of the system; of two systems the one that is better in the paper
     * @param over the other system; null where the number is of one system
     * @param measure what is compared; the time of the job where it is missing
     * @param number the reduction in percent or as a factor; of one system the measure itself
     * @param isFactor whether the number is a factor
     */
    public record Claim(
            String point,
            String of,
            String over,
            ExhibitMeasure measure,
            double number,
            boolean isFactor) {
        /** Replaces a missing measure. */
        public Claim {
            measure = measure == null ? ExhibitMeasure.JOB_TIME : measure;
        }
    }

    /**
     * Returns the points for which the paper has numbers; where it has none, the first and the last
     * point.
     */
    List<Point> mainPoints() {
        final List<Point> points = chart.measured();
        final Set<String> named = claims.stream().map(Claim::point).collect(Collectors.toSet());
        return named.isEmpty() && points.size() > 2
                ? List.of(points.get(0), points.get(points.size() - 1))
                : points.stream()
                        .filter(point -> named.isEmpty() || named.contains(point.label()))
                        .toList();
    }
}
