package io.spillway.engine.segment;

import io.spillway.transport.NodeAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The nodes that have sent a request for one output on to another node, since it last brought
 * bytes. Owned by the loop's thread.
 */
public final class Hops {
    /** An output that is put elsewhere again may be on its way: more than that is a loop. */
    static final int MOST = 4;

    private final List<NodeAddress> passed = new ArrayList<>(0);

    /**
     * A node names another one.
     *
     * @return why the other one is not to be asked, or null
     */
    public String sentOn(final NodeAddress from, final NodeAddress to) {
        passed.add(from);
        if (!passed.contains(to) && passed.size() <= MOST) {
            return null;
        }
        final String way =
                passed.stream().map(NodeAddress::toString).collect(Collectors.joining(" to "));
        return "its nodes send each other's requests on, from "
                + way
                + " to "
                + to
                + ", and none has it";
    }

    /** Bytes have come, or it begins anew. */
    public void clear() {
        passed.clear();
    }
}
