package io.spillway.hadoop.map;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.JobConf;

/** The serializers of a job's map output key and value, opened on one stream. One thread. */
final class RecordSerializer<K, V> {
    private final Class<K> keyClass;
    private final Class<V> valueClass;
    private final Serializer<K> keys;
    private final Serializer<V> values;

    @SuppressWarnings("unchecked") // the job's configuration names the classes, as in stock
    RecordSerializer(final JobConf job, final OutputStream out) throws IOException {
        keyClass = (Class<K>) job.getMapOutputKeyClass();
        valueClass = (Class<V>) job.getMapOutputValueClass();
        final SerializationFactory factory = new SerializationFactory(job);
        keys = factory.getSerializer(keyClass);
        keys.open(out);
        values = factory.getSerializer(valueClass);
        values.open(out);
    }

    void key(final K key) throws IOException {
        keys.serialize(key);
    }

    void value(final V value) throws IOException {
        values.serialize(value);
    }

    Class<K> keyClass() {
        return keyClass;
    }

    Class<V> valueClass() {
        return valueClass;
    }
}
