/**
 * A node process as one of many: what it gives to outputs of other hosts, what it reports to the
 * placement service, and that service itself where this process runs it.
 */
package io.spillway.node.member;
