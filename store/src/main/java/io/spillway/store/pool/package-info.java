/** The folders of files that a node lends to tasks, with their locks, owners and limits. */
package io.spillway.store.pool;
