"""Rankings whose rows live on a Dask cluster; imported only where one is asked for."""
