/**
 * What nodes and tasks say to the placement service, and its answers. One descriptor class a
 * message.
 *
 * <pre>
 * a node, as the cluster's                          placement service
 *   REPORT(node, space, jobs, outputs)       -&gt;
 *   &lt;-                     ORDERS(jobs that have come, jobs that have ended)
 *   STATUS(after which node and job)         -&gt;
 *   &lt;-                     STATUS_PART(nodes with their fill, jobs), of the package status
 *
 * a task, for its own job
 *   LEASE(output, bytes, copies, policy)     -&gt;
 *   &lt;-                     LEASED(places)
 *   LOCATE(outputs)                          -&gt;
 *   &lt;-                     LOCATED(places of each)
 * </pre>
 *
 * <p>A message is a byte that says its kind, a byte with the version, then its fields, of {@link
 * io.spillway.placement.message.MessageKind#MAX_LENGTH} bytes at most in all. All numbers are
 * big-endian; texts have two bytes of length before them, lists four bytes with their size.
 */
package io.spillway.placement.message;
