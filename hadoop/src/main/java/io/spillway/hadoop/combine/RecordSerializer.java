// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.combine;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.JobConf;

/**
 * The serializers of a job's map output key and value, opened on one stream. One thread.
 *
 * @param <K> map output key
 * @param <V> map output value
 */
public final class RecordSerializer<K, V> {
    private final Class<K> keyClass;
    private final Class<V> valueClass;
    private final Serializer<K> keys;
    private final Serializer<V> values;

    /** Opens the serializers; what they write is not buffered. */
    @SuppressWarnings("unchecked") // the job's configuration names the classes, as in stock
    public RecordSerializer(final JobConf job, final OutputStream out) throws IOException {
        keyClass = (Class<K>) job.getMapOutputKeyClass();
        valueClass = (Class<V>) job.getMapOutputValueClass();
        final SerializationFactory factory = new SerializationFactory(job);
        keys = factory.getSerializer(keyClass);
        keys.open(out);
        values = factory.getSerializer(valueClass);
        values.open(out);
    }

    /** Writes a key. */
    public void key(final K key) throws IOException {
        keys.serialize(key);
    }

    /** Writes a value. */
    public void value(final V value) throws IOException {
        values.serialize(value);
    }

    /** The class that keys must have, exactly. */
    public Class<K> keyClass() {
        return keyClass;
    }

    /** The class that values must have, exactly. */
    public Class<V> valueClass() {
        return valueClass;
    }
}
