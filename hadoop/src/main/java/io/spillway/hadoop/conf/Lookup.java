// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.conf;

import io.spillway.conf.Setting;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;

/**
 * Looks properties up in a Hadoop configuration, for {@link Setting#get}. With {@code
 * conf::getTrimmed} the JVM would make a class for each place that reads a setting; a task has a
 * dozen such places.
 *
 * @param conf of the job or of the NodeManager
 */
public record Lookup(Configuration conf) implements Function<String, String> {
    /** The trimmed text of a property, or null where it is not set. */
    @Override
    public String apply(final String name) {
        return conf.getTrimmed(name);
    }
}
