/** What happens when a fetch, a node or a source of the merge fails. */
package io.spillway.engine.reduce.recovery;
