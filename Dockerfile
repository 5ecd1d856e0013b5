FROM python:3.11-slim
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 AEM_DATA_DIR=/data
RUN useradd --create-home --uid 10001 aem && install -d -o aem -g aem -m 0700 /data
WORKDIR /app
COPY requirements.txt ./
RUN pip install -r requirements.txt
COPY . .
USER aem
VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "gunicorn", "aem_site.wsgi:application", "--bind", "0.0.0.0:8000", "--workers", "2", \
     "--threads", "2", "--timeout", "60", "--no-control-socket"]
