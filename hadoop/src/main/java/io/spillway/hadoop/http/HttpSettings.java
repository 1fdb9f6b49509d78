// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.http;

import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.hadoop.job.ShuffleTls;
import java.util.Optional;
import javax.crypto.SecretKey;

/**
 * What requests to stock shuffle handlers need to know of a reduce task. Immutable.
 *
 * @param shuffle what the engine is set to
 * @param job the job's id
 * @param secret signs requests and verifies replies
 * @param connectMillis the time-out of connecting; 0 for none
 * @param readMillis the time-out of each read; 0 for none
 * @param tls of HTTPS; nothing where the job has none
 */
public record HttpSettings(
        ShuffleSettings shuffle,
        String job,
        SecretKey secret,
        int connectMillis,
        int readMillis,
        Optional<ShuffleTls> tls) {}
