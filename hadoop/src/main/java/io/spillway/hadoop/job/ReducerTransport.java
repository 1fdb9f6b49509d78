package io.spillway.hadoop.job;

import io.spillway.conf.SpillwayKeys;
import io.spillway.transport.Transport;
import io.spillway.transport.choice.ChoosingTransport;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.tcp.TcpTransport;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one attempt of a reduce task fetches with. */
public final class ReducerTransport {
    private static final Logger LOG = LoggerFactory.getLogger(ReducerTransport.class);

    private ReducerTransport() {}

    /**
     * Makes the transport. Only a task's first attempt may use another one than tcp: where native
     * code ends an attempt's JVM there is nothing left to fall back, and an attempt more like it
     * would be no better.
     *
     * @param attempt of the reduce task
     * @param providers of all transports
     * @param settings returns the text of a property, or null where it is not set
     * @throws io.spillway.conf.InvalidSettingException for a wrong value of a setting it uses
     */
    public static Transport of(
            final TaskAttemptID attempt,
            final List<TransportProvider> providers,
            final Function<String, String> settings) {
        final Function<String, String> own =
                attempt.getId() == 0 ? settings : overTcp(attempt, settings);
        return new ChoosingTransport(new TcpTransport(own), providers, own);
    }

    private static Function<String, String> overTcp(
            final TaskAttemptID attempt, final Function<String, String> settings) {
        final String wanted = SpillwayKeys.TRANSPORT.get(settings);
        if (!wanted.equals(TcpTransport.NAME)) {
            LOG.info(
                    "{} is not its task's first attempt: {}=tcp instead of {}",
                    attempt,
                    SpillwayKeys.TRANSPORT,
                    wanted);
        }
        return name ->
                name.equals(SpillwayKeys.TRANSPORT.name())
                        ? TcpTransport.NAME
                        : settings.apply(name);
    }
}
