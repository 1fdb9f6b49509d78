// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.lib.MultithreadedMapRunner;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;

/**
 * A job: what it reads, how it maps, sorts, combines and reduces. Immutable; its text names what
 * differs from the default.
 */
final class JobSpec {
    private static final String PREFIX = "differential.";
    private static final String SEED = PREFIX + "seed";
    private static final String MAPS = PREFIX + "maps";
    private static final String RECORDS = PREFIX + "records";
    private static final String KEYS = PREFIX + "keys";
    private static final String VALUES = PREFIX + "values";
    private static final String MAP_STYLE = PREFIX + "map.style";
    private static final String REDUCE_STYLE = PREFIX + "reduce.style";
    private static final int THREADS = 4;

    private final Builder fields;

    private JobSpec(final Builder fields) {
        this.fields = fields;
    }

    /** Starts a spec: Text keys, long values, 3 maps of 400 records, 2 reducers, new API. */
    static Builder job() {
        return new Builder();
    }

    /** Starts a spec of bytes of varied length: 4 maps of 300 records. */
    static Builder largeJob() {
        return job().values(ValueKind.BYTES_VARIED).maps(4).records(300);
    }

    static long seed(final Configuration conf) {
        return conf.getLong(SEED, 0);
    }

    static int maps(final Configuration conf) {
        return conf.getInt(MAPS, 0);
    }

    static int recordsPerMap(final Configuration conf) {
        return conf.getInt(RECORDS, 0);
    }

    static KeyKind keyKind(final Configuration conf) {
        return KeyKind.valueOf(conf.get(KEYS));
    }

    static ValueKind valueKind(final Configuration conf) {
        return ValueKind.valueOf(conf.get(VALUES));
    }

    static MapStyle mapStyle(final Configuration conf) {
        return MapStyle.valueOf(conf.get(MAP_STYLE));
    }

    static ReduceStyle reduceStyle(final Configuration conf) {
        return ReduceStyle.valueOf(conf.get(REDUCE_STYLE));
    }

    int maps() {
        return fields.maps;
    }

    int reducers() {
        return fields.reducers;
    }

    Codec codec() {
        return fields.codec;
    }

    boolean combines() {
        return fields.combining != Combining.NONE;
    }

    /** One of the settings of Hadoop or Spillway; null when the job leaves it as it is. */
    String setting(final String name) {
        return fields.settings.get(name);
    }

    /** Whether the order in which equal keys meet shows in the recorded output. */
    boolean valuesEchoKeys() {
        return fields.values == ValueKind.ECHO;
    }

    /** Whether the output is read as it is, so that the order of equal keys shows. */
    boolean inOrder() {
        return fields.inOrder;
    }

    /** Whether a record can be larger than a sort buffer of 1 MB. */
    boolean hugeRecords() {
        return fields.values == ValueKind.BYTES_HUGE || fields.keys == KeyKind.TEXT_HUGE;
    }

    /** Whether reducers may fetch from an attempt that is later called lost. */
    boolean mapsRunAgain() {
        return fields.settings.containsKey(LoopbackNodes.BUSY);
    }

    boolean encrypted() {
        return fields.settings.containsKey(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA);
    }

    boolean reducersStopEarly() {
        return fields.reduceStyle == ReduceStyle.STOPS_EARLY;
    }

    Ordering ordering() {
        return fields.ordering;
    }

    /** The same job but for a setting. */
    JobSpec with(final String name, final Object value) {
        return new Builder(fields).set(name, value).build();
    }

    /** Puts the whole job into {@code conf}, except its input and output paths. */
    void configure(final JobConf conf) {
        conf.setJobName(toString());
        conf.setLong(SEED, fields.seed);
        conf.setInt(MAPS, fields.maps);
        conf.setInt(RECORDS, fields.records);
        conf.setEnum(KEYS, fields.keys);
        conf.setEnum(VALUES, fields.values);
        conf.setEnum(MAP_STYLE, fields.mapStyle);
        conf.setEnum(REDUCE_STYLE, fields.reduceStyle);
        conf.setNumReduceTasks(fields.reducers);
        conf.setSpeculativeExecution(false);
        conf.setMapOutputKeyClass(fields.keys.type());
        conf.setMapOutputValueClass(fields.values.type());
        conf.setOutputKeyClass(BytesWritable.class);
        conf.setOutputValueClass(BytesWritable.class);
        conf.setInt(MRJobConfig.IO_SORT_MB, 8);
        if (fields.keys == KeyKind.JAVA_STRING || fields.values == ValueKind.JAVA_LONG) {
            conf.set(
                    CommonConfigurationKeysPublic.IO_SERIALIZATIONS_KEY,
                    "org.apache.hadoop.io.serializer.JavaSerialization,"
                            + "org.apache.hadoop.io.serializer.WritableSerialization");
        }
        fields.ordering.configure(conf);
        fields.partitioning.configure(conf, fields.api.newMapper());
        fields.combining.configure(conf);
        if (fields.combinerGroups) {
            conf.set(MRJobConfig.COMBINER_GROUP_COMPARATOR_CLASS, fields.ordering.groupingName());
        }
        fields.codec.configure(conf);
        configureMapper(conf);
        configureReducer(conf);
        fields.settings.forEach(conf::set);
    }

    private void configureMapper(final JobConf conf) {
        final boolean threads = fields.mapStyle == MapStyle.MULTITHREADED;
        conf.setUseNewMapper(fields.api.newMapper());
        if (!fields.api.newMapper()) {
            conf.setInputFormat(GeneratedInput.OldFormat.class);
            conf.setMapperClass(Mappers.OldApi.class);
            if (threads) {
                conf.setMapRunnerClass(MultithreadedMapRunner.class);
                conf.setInt(MultithreadedMapper.NUM_THREADS, THREADS);
            }
            return;
        }
        final Class<?> mapper = threads ? MultithreadedMapper.class : Mappers.NewApi.class;
        conf.set("mapreduce.job.inputformat.class", GeneratedInput.NewFormat.class.getName());
        conf.set("mapreduce.job.map.class", mapper.getName());
        if (threads) {
            conf.set(MultithreadedMapper.MAP_CLASS, Mappers.NewApi.class.getName());
            conf.setInt(MultithreadedMapper.NUM_THREADS, THREADS);
        }
    }

    private void configureReducer(final JobConf conf) {
        conf.setUseNewReducer(fields.api.newReducer());
        if (!fields.api.newReducer()) {
            conf.setOutputFormat(org.apache.hadoop.mapred.SequenceFileOutputFormat.class);
            conf.setReducerClass(Reducers.OldApi.class);
            return;
        }
        conf.set(
                "mapreduce.job.outputformat.class",
                org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat.class.getName());
        conf.set("mapreduce.job.reduce.class", Reducers.NewApi.class.getName());
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof JobSpec spec
                && fields.seed == spec.fields.seed
                && toString().equals(spec.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return fields.changes.isEmpty()
                ? "default job"
                : fields.changes.entrySet().stream()
                        .map(change -> change.getKey() + "=" + change.getValue())
                        .collect(Collectors.joining(" "));
    }

    /** Collects the fields of a spec. */
    static final class Builder {
        private final Map<String, String> changes = new LinkedHashMap<>();
        private final Map<String, String> settings = new LinkedHashMap<>();
        private KeyKind keys = KeyKind.TEXT;
        private ValueKind values = ValueKind.LONG;
        private int maps = 3;
        private int records = 400;
        private int reducers = 2;
        private Api api = Api.NEW;
        private MapStyle mapStyle = MapStyle.PLAIN;
        private ReduceStyle reduceStyle = ReduceStyle.ALL;
        private Combining combining = Combining.NONE;
        private boolean combinerGroups;
        private boolean inOrder;
        private Ordering ordering = Ordering.NATURAL;
        private Partitioning partitioning = Partitioning.HASH;
        private Codec codec = Codec.NONE;
        private long seed = 20_170_828;

        private Builder() {}

        private Builder(final Builder other) {
            changes.putAll(other.changes);
            settings.putAll(other.settings);
            keys = other.keys;
            values = other.values;
            maps = other.maps;
            records = other.records;
            reducers = other.reducers;
            api = other.api;
            mapStyle = other.mapStyle;
            reduceStyle = other.reduceStyle;
            combining = other.combining;
            combinerGroups = other.combinerGroups;
            inOrder = other.inOrder;
            ordering = other.ordering;
            partitioning = other.partitioning;
            codec = other.codec;
            seed = other.seed;
        }

        private Builder changed(final String field, final Object value) {
            final String text = value.toString();
            changes.put(field, value instanceof Enum ? text.toLowerCase(Locale.ROOT) : text);
            return this;
        }

        Builder keys(final KeyKind kind) {
            keys = kind;
            return changed("keys", kind);
        }

        Builder values(final ValueKind kind) {
            values = kind;
            return changed("values", kind);
        }

        Builder maps(final int count) {
            maps = count;
            return changed("maps", count);
        }

        /** The number of input records of each map. */
        Builder records(final int count) {
            records = count;
            return changed("records", count);
        }

        Builder reducers(final int count) {
            reducers = count;
            return changed("reducers", count);
        }

        Builder api(final Api which) {
            api = which;
            return changed("api", which);
        }

        Builder mapper(final MapStyle style) {
            mapStyle = style;
            return changed("mapper", style);
        }

        Builder reducer(final ReduceStyle style) {
            reduceStyle = style;
            return changed("reducer", style);
        }

        Builder combiner(final Combining which) {
            combining = which;
            return changed("combiner", which);
        }

        /** Gives the combiner the grouping of {@link #ordering}. */
        Builder combinerGroups() {
            combinerGroups = true;
            return changed("combinerGroups", true);
        }

        /** Lets the order of equal keys show in the output that is read. */
        Builder inOrder() {
            inOrder = true;
            return changed("inOrder", true);
        }

        Builder ordering(final Ordering which) {
            ordering = which;
            return changed("ordering", which);
        }

        Builder partitioning(final Partitioning which) {
            partitioning = which;
            return changed("partitioning", which);
        }

        Builder codec(final Codec which) {
            codec = which;
            return changed("codec", which);
        }

        Builder seed(final long number) {
            seed = number;
            return changed("seed", number);
        }

        /** Any setting of Hadoop or Spillway. */
        Builder set(final String name, final Object value) {
            settings.put(name, value.toString());
            return changed(name, value);
        }

        JobSpec build() {
            if (ordering.differentKeysCompareEqual()
                    && !(api.newReducer() && reduceStyle == ReduceStyle.ALL)) {
                throw new IllegalArgumentException(
                        ordering
                                + " leaves open which key stands for a group: only a reducer of"
                                + " the new API that writes all records shows a definite output");
            }
            return new JobSpec(new Builder(this));
        }
    }
}
