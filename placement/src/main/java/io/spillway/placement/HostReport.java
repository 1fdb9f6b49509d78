// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement;

import io.spillway.placement.message.JobOutputs;
import io.spillway.placement.message.NodeSpace;
import io.spillway.transport.serve.ServedJob;
import java.util.List;

/**
 * What a node says of itself when it reports. All calls come from the thread of the {@link
 * PlacementAgent}; none blocks.
 */
public interface HostReport {
    /** Its memory for outputs, at this moment. */
    NodeSpace space();

    /** The jobs that the NodeManagers of its host have, with their secrets. */
    List<ServedJob> jobs();

    /** All outputs that it holds as a whole. */
    List<JobOutputs> outputs();
}
