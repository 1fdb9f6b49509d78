package io.spillway.node.process;

import io.spillway.node.control.ManagerHello;
import io.spillway.node.process.NodeStatus.StoreStatus;
import io.spillway.store.RecycledFolder;
import io.spillway.store.Room;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks how full the tiers of a NodeManager are. */
final class StoreRooms {
    private static final Logger LOG = LoggerFactory.getLogger(StoreRooms.class);

    private StoreRooms() {}

    /** One tier now; -1 for what cannot be read. */
    static StoreStatus look(final ManagerHello.Store store) {
        final Optional<RecycledFolder> folder =
                RecycledFolder.existing(store.root(), store.limit());
        if (folder.isEmpty()) {
            return unknown(store);
        }
        try {
            final long used = folder.get().usedBytes();
            final long free = Math.min(store.limit() - used, new Room(store.root(), 0).free());
            return new StoreStatus(
                    store.tier(),
                    store.root().toString(),
                    used,
                    Math.max(0, free),
                    folder.get().applications().size());
        } catch (final IOException e) {
            LOG.debug("Cannot look at {}", store, e);
            return unknown(store);
        }
    }

    private static StoreStatus unknown(final ManagerHello.Store store) {
        return new StoreStatus(store.tier(), store.root().toString(), -1, -1, 0);
    }
}
