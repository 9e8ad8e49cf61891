"""Run by Alembic: hands it the connection that the caller opened."""

from alembic import context

from lpm_kernel.backends.store.node.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
