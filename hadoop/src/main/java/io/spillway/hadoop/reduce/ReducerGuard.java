// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import java.io.IOException;
import java.util.Iterator;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Notices that a job's reducer fails, for a shuffle that had to hand out records which are not
 * verified: no part of Hadoop tells a shuffle. A reducer of this class stands in the configuration
 * from the end of the copy phase until Hadoop creates the task's reducer; it puts the job's own
 * class back, creates it and passes everything on. Used by the task thread.
 */
final class ReducerGuard {
    private static final String OLD_API_KEY = "mapred.reducer.class";

    /** What the next reducer belongs to that this thread creates. */
    private static final ThreadLocal<ReducerGuard> NEXT = new ThreadLocal<>();

    private final String key;
    private final String guarded;
    private final Consumer<Throwable> onFailure;

    private ReducerGuard(
            final String key, final JobConf conf, final Consumer<Throwable> onFailure) {
        this.key = key;
        this.guarded = conf.get(key);
        this.onFailure = onFailure;
    }

    /**
     * Guards the reducer that this thread is about to create.
     *
     * @param onFailure called by this thread before the failure leaves the reducer; for the old API
     *     also when the reducer is closed, whatever the cause
     */
    static void install(final JobConf conf, final Consumer<Throwable> onFailure) {
        if (conf.getUseNewReducer()) {
            NEXT.set(new ReducerGuard(MRJobConfig.REDUCE_CLASS_ATTR, conf, onFailure));
            conf.setClass(MRJobConfig.REDUCE_CLASS_ATTR, OfNewApi.class, Reducer.class);
        } else {
            NEXT.set(new ReducerGuard(OLD_API_KEY, conf, onFailure));
            conf.setReducerClass(OfOldApi.class);
        }
    }

    /** Takes the guard that was installed, and puts the job's own class back. */
    private static ReducerGuard take(final Configuration conf) {
        final ReducerGuard guard = NEXT.get();
        NEXT.remove();
        if (guard.guarded == null) {
            conf.unset(guard.key);
        } else {
            conf.set(guard.key, guard.guarded);
        }
        return guard;
    }

    private void failed(final Throwable cause) {
        onFailure.accept(cause);
    }

    /** A reducer of the new API, with another one in front. */
    static final class OfNewApi<K, V, L, W> extends Reducer<K, V, L, W> implements Configurable {
        private Configuration conf;
        private ReducerGuard guard;
        private Reducer<K, V, L, W> reducer;

        @Override
        @SuppressWarnings("unchecked")
        public void setConf(final Configuration configuration) {
            conf = configuration;
            guard = take(conf);
            reducer =
                    ReflectionUtils.newInstance(
                            (Class<Reducer<K, V, L, W>>)
                                    conf.getClass(MRJobConfig.REDUCE_CLASS_ATTR, Reducer.class),
                            conf);
        }

        @Override
        public Configuration getConf() {
            return conf;
        }

        @Override
        public void run(final Context context) throws IOException, InterruptedException {
            try {
                reducer.run(context);
            } catch (final IOException | InterruptedException | RuntimeException | Error e) {
                guard.failed(e);
                throw e;
            }
        }
    }

    /** A reducer of the old API, with another one in front. */
    static final class OfOldApi<K, V, L, W>
            implements org.apache.hadoop.mapred.Reducer<K, V, L, W> {
        private ReducerGuard guard;
        private org.apache.hadoop.mapred.Reducer<K, V, L, W> reducer;

        @Override
        @SuppressWarnings("unchecked")
        public void configure(final JobConf job) {
            guard = take(job);
            reducer =
                    (org.apache.hadoop.mapred.Reducer<K, V, L, W>)
                            ReflectionUtils.newInstance(job.getReducerClass(), job);
        }

        @Override
        public void reduce(
                final K key,
                final Iterator<V> values,
                final OutputCollector<L, W> output,
                final Reporter reporter)
                throws IOException {
            try {
                reducer.reduce(key, values, output, reporter);
            } catch (final IOException | RuntimeException | Error e) {
                guard.failed(e);
                throw e;
            }
        }

        /** Hadoop reads the next key outside of the reducer, and closes it when that fails. */
        @Override
        public void close() throws IOException {
            guard.failed(new IOException("The reducer is closed before its input has ended"));
            reducer.close();
        }
    }
}
