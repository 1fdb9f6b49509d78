// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests beside a node process that a NodeManager has started. */
@ExtendWith(OnFailureSite.class)
abstract class NodeProcessScenario {
    final FailureSite site;
    final SiteNodeProcess node;

    NodeProcessScenario(final FailureSite site) {
        this.site = site;
        this.node = new SiteNodeProcess(site);
    }

    @BeforeEach
    void launch() {
        node.launch();
    }

    @AfterEach
    void launchNoMore() {
        node.end();
    }
}
