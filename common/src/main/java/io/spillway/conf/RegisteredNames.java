// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.util.ArrayList;
import java.util.List;

/**
 * Names that settings may take and that a registration adds to. They are looked up where a value is
 * read or described, not where a setting is declared.
 */
public enum RegisteredNames {
    /** Of tiers that spills may go to. */
    SPILL_TIERS,
    /** Of tiers that map outputs may go to. */
    OUTPUT_TIERS,
    /** Of transports. */
    TRANSPORTS,
    /** Of transports that node processes serve. */
    SERVED_TRANSPORTS;

    /** The word auto, and all names in the order of the documentation. */
    List<String> withAuto() {
        final List<String> names = new ArrayList<>(List.of(Setting.AUTO));
        names.addAll(
                switch (this) {
                    case SPILL_TIERS -> TierName.ofSpills();
                    case OUTPUT_TIERS -> TierName.ofOutputs();
                    case TRANSPORTS -> TransportName.all();
                    case SERVED_TRANSPORTS -> TransportName.served();
                });
        return names;
    }
}
